/* The search box where pages are opened as files.
 *
 * Browsers start no Worker from a file, so the site's search would find nothing there. This gives
 * pages of a directory a Worker that runs its script in a hidden frame; with a web server the
 * browser's own is left alone.
 */
"use strict";
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.title = "search";
      document.body.appendChild(this.frame);
      const inside = this.frame.contentWindow;
      const base = document.createElement("base");
      base.href = new URL(".", new URL(url, location.href)).href;
      inside.document.head.appendChild(base);
      // What the script calls to answer, and to fetch more scripts.
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...more) =>
        more.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      this.load(new URL(url, location.href).href).then(() => {
        this.ready = true;
        this.waiting.forEach((data) => this.hand(data));
      });
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = url;
        script.onload = done;
        script.onerror = failed;
        this.frame.contentDocument.head.appendChild(script);
      });
    }

    hand(data) {
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.ready) this.hand(data);
      else this.waiting.push(data);
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
