"""The run as one HTML file: no network, no server; everything it shows stands in it as JSON.

The page is drawn by its own scripts, which put data into the document as text only. `page.html`
has the frame, the `.css` and `.js` files beside it are written into it as they are.
"""

from __future__ import annotations
