"""What a consumer can see of a source's row events on a protocol's wire; one module a protocol.

Expected tables are folded from these projections. They state the protocols' rules anew, from the
clauses, and share no code with the encoders: an encoder that loses or changes more than a
projection says is found out.
"""

from __future__ import annotations
