// Made by `make extension-page` from extension/page. Change it there.
(function() {

// page/world/closed.ts
	(() => {
		const ASK = "stepledger:closed?";
		const ANSWER = "stepledger:closed";
		const attach = Element.prototype.attachShadow;
		let closed = 0;
		Element.prototype.attachShadow = function attachShadow(init) {
			const root = attach.call(this, init);
			if (root.mode === "closed") closed++;
			return root;
		};
		document.addEventListener(ASK, () => document.dispatchEvent(new CustomEvent(ANSWER, { detail: closed })));
	})();

})();