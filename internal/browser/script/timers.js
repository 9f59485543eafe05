// Made by `make extension-page` from extension/page. Change it there.
(function() {

// page/world/timers.ts
	(() => {
		const ASK = "stepledger:scheduled?";
		const ANSWER = "stepledger:scheduled";
		let isThere = false;
		const hear = () => {
			isThere = true;
		};
		document.addEventListener(ANSWER, hear);
		document.dispatchEvent(new Event(ASK));
		document.removeEventListener(ANSWER, hear);
		if (isThere) return;
		const EVENTS = [
			"pointerdown",
			"mousedown",
			"pointerup",
			"mouseup",
			"click",
			"keydown",
			"keyup",
			"input",
			"change",
			"submit",
			"focusin"
		];
		const LONGEST = 1e3;
		const DEEPEST = 3;
		const later = window.setTimeout;
		const never = window.clearTimeout;
		const due = /* @__PURE__ */ new Set();
		let depth = 0;
		let end = 0;
		const begin = (d) => {
			depth = d;
			never.call(window, end);
			end = later.call(window, () => depth = 0, 0);
		};
		window.setTimeout = function setTimeout(f, ms, ...args) {
			const d = depth;
			if (d === 0 || d > DEEPEST || !(ms !== void 0 && ms > 0 && ms <= LONGEST) || typeof f !== "function") return later.call(window, f, ms, ...args);
			const id = later.call(window, () => {
				due.delete(id);
				begin(d + 1);
				f.apply(window, args);
			}, ms);
			due.add(id);
			return id;
		};
		window.clearTimeout = function clearTimeout(id) {
			due.delete(id);
			never.call(window, id);
		};
		EVENTS.forEach((e) => addEventListener(e, () => begin(1), {
			capture: true,
			passive: true
		}));
		document.addEventListener(ASK, () => document.dispatchEvent(new CustomEvent(ANSWER, { detail: due.size })));
	})();

})();