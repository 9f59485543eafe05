// Made by `make extension-page` from extension/page. Change it there.
(function() {

// page/element.ts
	const textIn = (el) => typeof el.value === "string" ? el.value : el.innerText ?? "";
	const hostOf = (root) => root.host ?? null;
	const above = (el) => el.parentElement ?? hostOf(el.getRootNode());
	const isElement = (node) => node.nodeType === 1;
	const isText = (node) => node.nodeType === 3;
	const isDocument = (node) => node.nodeType === 9;
	const isFrame = (el) => el.localName === "iframe" || el.localName === "frame";

// page/shadow.ts
	const adopted = /* @__PURE__ */ new WeakMap();
	const adopt = (host, root) => {
		adopted.set(host, root);
	};
	const HOSTS = /* @__PURE__ */ new Set([
		"article",
		"aside",
		"blockquote",
		"body",
		"div",
		"footer",
		"h1",
		"h2",
		"h3",
		"h4",
		"h5",
		"h6",
		"header",
		"main",
		"nav",
		"p",
		"section",
		"span"
	]);
	const hosting = /* @__PURE__ */ new Map();
	const mayHost = (el) => {
		const name = el.localName;
		const known = hosting.get(name);
		if (known !== void 0) return known;
		const may = HOSTS.has(name) || name.includes("-");
		hosting.set(name, may);
		return may;
	};
	const opened = (el) => typeof chrome !== "undefined" && chrome.dom && "innerText" in el ? chrome.dom.openOrClosedShadowRoot(el) : null;
	const shadowOf = (el) => {
		if (!mayHost(el)) return null;
		return el.shadowRoot ?? adopted.get(el) ?? opened(el);
	};
	const inShadow = (el) => hostOf(el.getRootNode()) !== null;

// page/boxes.ts
	const imageOf = (area) => {
		const map = area.closest("map");
		const root = area.getRootNode();
		return map && root.querySelector(`img[usemap="#${CSS.escape(map.name)}"]`);
	};
	const isArea = (el) => el.localName === "area";
	const isContents = (el) => el.ownerDocument.defaultView?.getComputedStyle(el).display === "contents";
	const contentsOf = (el) => {
		const put = el.localName === "slot" ? el.assignedNodes() : [];
		return put.length > 0 ? put : [...shadowOf(el)?.childNodes ?? el.childNodes];
	};
	const isRendered = (el, options) => {
		if (isArea(el)) return imageOf(el)?.checkVisibility(options) ?? false;
		if (el.checkVisibility(options)) return true;
		if (!isContents(el)) return false;
		return contentsOf(el).some((child) => isElement(child) ? isRendered(child, options) : rectsIn(child).length > 0);
	};
	const rectsIn = (node) => {
		const range = new Range();
		range.selectNodeContents(node);
		return [...range.getClientRects()];
	};
	const boundsOf = (area, width, height) => {
		const c = area.coords.split(/[\s,]+/).map(Number).filter((n) => !Number.isNaN(n));
		if (area.shape === "default" || c.length < 3) return {
			left: 0,
			top: 0,
			right: width,
			bottom: height
		};
		if (c.length === 3) return {
			left: c[0] - c[2],
			top: c[1] - c[2],
			right: c[0] + c[2],
			bottom: c[1] + c[2]
		};
		const xs = c.filter((_, i) => i % 2 === 0);
		const ys = c.filter((_, i) => i % 2 === 1);
		return {
			left: Math.min(...xs),
			top: Math.min(...ys),
			right: Math.max(...xs),
			bottom: Math.max(...ys)
		};
	};
	const areaRects = (area) => {
		const image = imageOf(area);
		if (!image) return [];
		const r = image.getBoundingClientRect();
		const b = boundsOf(area, image.clientWidth, image.clientHeight);
		return [new DOMRect(r.left + image.clientLeft + b.left, r.top + image.clientTop + b.top, b.right - b.left, b.bottom - b.top)];
	};
	const rectsOf = (el) => {
		if (isArea(el)) return areaRects(el);
		const own = [...el.getClientRects()];
		if (own.length > 0) return own;
		return isContents(el) ? rectsIn(el) : own;
	};
	const rectOf = (el) => {
		if (!isArea(el) && el.getClientRects().length > 0) return el.getBoundingClientRect();
		const all = rectsOf(el);
		if (all.length === 0) return el.getBoundingClientRect();
		const left = Math.min(...all.map((r) => r.left));
		const top = Math.min(...all.map((r) => r.top));
		return new DOMRect(left, top, Math.max(...all.map((r) => r.right)) - left, Math.max(...all.map((r) => r.bottom)) - top);
	};
	const bringIntoView = (el) => {
		((isArea(el) ? imageOf(el) : el.getClientRects().length > 0 ? el : [...el.querySelectorAll("*")].find((inner) => inner.getClientRects().length > 0)) ?? el).scrollIntoView({
			block: "center",
			inline: "center",
			behavior: "instant"
		});
	};
	const pageBox = () => document.scrollingElement ?? document.documentElement;

// page/own.ts
	const own = /* @__PURE__ */ new WeakSet();
	const disown = (el) => void own.add(el);
	const isOwn = (node) => own.has(node);

// page/walk.ts
	const ID = "data-llm-id";
	const ids = /* @__PURE__ */ new WeakMap();
	const elements = /* @__PURE__ */ new Map();
	const frames = /* @__PURE__ */ new WeakMap();
	let lastID = 0;
	let lastFrame = 0;
	let ownFrame = 0;
	const numberFrom = (start, startFrame = 0, frame = ownFrame) => {
		lastID = Math.max(lastID, start);
		lastFrame = Math.max(lastFrame, startFrame);
		ownFrame = frame;
	};
	const lastNumber = () => lastID;
	const lastFrameNumber = () => lastFrame;
	const numberOfRoot = () => ownFrame;
	const documentOf = (frame) => {
		try {
			return frame.contentDocument ?? null;
		} catch {
			return null;
		}
	};
	const frameNumber = (frame) => {
		const known = frames.get(frame);
		if (known !== void 0) return known;
		frames.set(frame, ++lastFrame);
		return lastFrame;
	};
	const looksOurs = (id) => /^(f\d+_)?\d+$/.test(id);
	const identify = (el, frame) => {
		let id = ids.get(el);
		if (id === void 0) {
			id = (frame ? `f${frame}_` : "") + String(++lastID);
			ids.set(el, id);
			elements.set(id, new WeakRef(el));
		}
		if (el.getAttribute("data-llm-id") !== id) el.setAttribute(ID, id);
		return id;
	};
	const resolve = (id) => {
		const el = elements.get(id)?.deref();
		if (el?.isConnected && el.ownerDocument.defaultView) return el;
		elements.delete(id);
		return looksOurs(id) ? null : byOwnID(id);
	};
	const byOwnID = (id) => {
		const value = CSS.escape(id);
		const found = id === "" ? [] : selectAll(scanPage(), `[id="${value}"],[data-id="${value}"]`);
		return found.length === 1 ? found[0] : null;
	};
	const parentOf = (node) => node.parentNode ?? hostOf(node) ?? (node.nodeType === 9 ? node.defaultView?.frameElement : null) ?? null;
	const within = (node, ancestor) => {
		for (let n = node; n; n = parentOf(n)) if (n === ancestor) return true;
		return false;
	};
	const offsetOf = (el) => {
		let x = 0;
		let y = 0;
		for (let f = el.ownerDocument.defaultView?.frameElement; f; f = f.ownerDocument.defaultView?.frameElement) {
			const corner = contentCorner(f);
			x += corner.x;
			y += corner.y;
		}
		return {
			x,
			y
		};
	};
	const contentCorner = (frame) => {
		const r = frame.getBoundingClientRect();
		const style = styleOf(frame);
		return {
			x: r.left + frame.clientLeft + parseFloat(style.paddingLeft),
			y: r.top + frame.clientTop + parseFloat(style.paddingTop)
		};
	};
	const visible = (el) => isRendered(el, {
		checkOpacity: true,
		checkVisibilityCSS: true
	}) && hasPlace(el);
	const hasPlace = (el) => {
		let { scrollX: x, scrollY: y } = el.ownerDocument.defaultView ?? window;
		const beyond = (r) => r.right + x <= 0 || r.bottom + y <= 0;
		const boxes = rectsOf(el).filter((r) => r.width > 1 && r.height > 1);
		if (!boxes.some(beyond)) return boxes.length > 0;
		for (let up = above(el); up; up = above(up)) {
			if (up === up.ownerDocument.scrollingElement) break;
			x += up.scrollLeft;
			y += up.scrollTop;
		}
		return !boxes.every(beyond);
	};
	const clipOf = (el, skip = () => false) => {
		const clip = {
			left: -1e400,
			top: -1e400,
			right: 1e400,
			bottom: 1e400,
			shut: false
		};
		let position = styleOf(el).position;
		for (let up = above(el); up && position !== "fixed"; up = above(up)) {
			const style = styleOf(up);
			if (up === el.ownerDocument.scrollingElement || up === el.ownerDocument.body) break;
			if (position === "absolute" && style.position === "static" && style.transform === "none") continue;
			position = style.position;
			if (skip(up)) continue;
			if (style.overflowX === "visible" && style.overflowY === "visible" || [
				"inline",
				"contents",
				"table-row",
				"table-row-group"
			].includes(style.display)) continue;
			if (up.clientWidth < 2 || up.clientHeight < 2) clip.shut = true;
			const r = up.getBoundingClientRect();
			clip.left = Math.max(clip.left, r.left + up.clientLeft);
			clip.top = Math.max(clip.top, r.top + up.clientTop);
			clip.right = Math.min(clip.right, r.left + up.clientLeft + up.clientWidth);
			clip.bottom = Math.min(clip.bottom, r.top + up.clientTop + up.clientHeight);
		}
		return clip;
	};
	const isPageLike = (box) => box.clientHeight > .75 * innerHeight && box.clientWidth > .5 * innerWidth;
	const isOutOfView = (el, skip) => {
		const clip = clipOf(el, skip);
		return !clip.shut && !rectsOf(el).some((r) => r.right > clip.left + 1 && r.bottom > clip.top + 1 && r.left < clip.right - 1 && r.top < clip.bottom - 1);
	};
	const DRAWN = "select," + [
		"checkbox",
		"radio",
		"file",
		"range",
		"color"
	].map((t) => `input[type=${t}]`).join(",");
	const transparent = (el) => {
		if (isRendered(el, { checkOpacity: true }) || !isRendered(el, { checkVisibilityCSS: true }) || !hasPlace(el)) return false;
		if (styleOf(el).pointerEvents === "none" || el.closest("[aria-hidden=true],[inert]") || el.matches("a[href^='#']")) return false;
		const o = offsetOf(el);
		const r = rectOf(el);
		const x = r.left + o.x + r.width / 2;
		const y = r.top + o.y + r.height / 2;
		return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || isOutOfView(el) || clickPoint(el) !== null;
	};
	const onHover = (el) => !el.matches(DRAWN) && transparent(el) && !isFading(el);
	const isFading = (el) => {
		for (let e = el; e; e = above(e)) if (e.getAnimations().some((a) => a.playState === "running")) return true;
		return false;
	};
	const clickableLabel = (el) => {
		if (visible(el)) return el;
		if (el.matches("input[type=checkbox],input[type=radio],input[type=file]")) {
			const label = [...el.labels ?? []].find(visible);
			if (label) return label;
		}
		return transparent(el) ? el : null;
	};
	const topAt = (x, y) => {
		let root = document;
		let hit = null;
		for (;;) {
			const el = root.elementFromPoint(x, y);
			if (!el || el === hit) return hit;
			hit = el;
			const inner = isFrame(el) ? documentOf(el) : null;
			if (inner) {
				const corner = contentCorner(el);
				x -= corner.x;
				y -= corner.y;
				root = inner;
			} else {
				const shadow = shadowOf(el);
				if (!shadow) return hit;
				root = shadow;
			}
		}
	};
	const POINTS = [
		[.5, .5],
		[.25, .5],
		[.75, .5],
		[.5, .25],
		[.5, .75],
		[.1, .5],
		[.9, .5],
		[.02, .1]
	];
	function* pointsOf(el) {
		const o = offsetOf(el);
		const clip = clipOf(el);
		for (const r of [rectOf(el), ...rectsOf(el)]) {
			if (r.width <= 1 || r.height <= 1) continue;
			const box = {
				left: Math.max(r.left, clip.left),
				top: Math.max(r.top, clip.top),
				right: Math.min(r.right, clip.right),
				bottom: Math.min(r.bottom, clip.bottom)
			};
			if (box.right <= box.left || box.bottom <= box.top) continue;
			for (const [fx, fy] of POINTS) {
				const x = o.x + box.left + (box.right - box.left) * fx;
				const y = o.y + box.top + (box.bottom - box.top) * fy;
				if (x >= 0 && y >= 0 && x < innerWidth && y < innerHeight) yield {
					x,
					y
				};
			}
		}
	}
	const letsClicksThrough = (el) => el.localName === "option" || styleOf(el).pointerEvents === "none";
	const clickPoint = (el) => {
		let around = null;
		let inControl = null;
		for (const { x, y } of pointsOf(el)) {
			const top = topAt(x, y);
			if (top === null) continue;
			if (within(top, el)) {
				const control = top.closest(`label,${INTERACTIVE}`);
				if (!control || within(el, control)) return {
					x,
					y
				};
				inControl ??= {
					x,
					y
				};
			} else if (within(el, top) && letsClicksThrough(el)) around ??= {
				x,
				y
			};
		}
		return inControl ?? around;
	};
	const isCovered = (el) => clipOf(el).shut || !pointsOf(el).next().done && clickPoint(el) === null;

// page/scan.ts
	const add = (scan, root, frame) => {
		scan.roots.push(root);
		const list = root.querySelectorAll("*");
		for (let i = 0; i < list.length; i++) {
			const el = list[i];
			if (isOwn(el)) continue;
			scan.elements.push(el);
			scan.frames.push(frame);
			const shadow = shadowOf(el);
			if (shadow) add(scan, shadow, frame);
			if (!isFrame(el)) continue;
			const inner = documentOf(el);
			if (inner) add(scan, inner, frameNumber(el));
			else scan.unreached.push(el);
		}
	};
	const scanPage = () => {
		const scan = {
			elements: [],
			frames: [],
			roots: [],
			unreached: []
		};
		add(scan, document, numberOfRoot());
		return scan;
	};
	const selectAll = (scan, selector) => scan.roots.flatMap((root) => [...root.querySelectorAll(selector)]);

// page/clickable.ts
	const heard = /* @__PURE__ */ new WeakSet();
	let hasHeard = false;
	const hear = (list) => {
		hasHeard ||= list.length > 0;
		list.forEach((el) => heard.add(el));
	};
	const HANDLED = [
		"data-action",
		"data-handler",
		"data-command",
		"data-cmd",
		"data-click",
		"data-onclick",
		"data-on-click",
		"data-href",
		"data-toggle",
		"data-bs-toggle",
		"data-dismiss",
		"data-bs-dismiss",
		"ng-click",
		"data-ng-click",
		"x-on:click",
		"v-on:click",
		"@click",
		"wire:click",
		"phx-click",
		"jsaction",
		"hx-get",
		"hx-post",
		"hx-put",
		"hx-delete"
	];
	const HANDLED_SELECTOR = HANDLED.map((name) => `[${CSS.escape(name)}]`).join(",");
	let handled = null;
	const keepHandled = (scan) => {
		handled = scan && new Set(selectAll(scan, HANDLED_SELECTOR));
	};
	const isHandled = (el) => (handled ? handled.has(el) : el.hasAttributes() && el.matches(HANDLED_SELECTOR)) && HANDLED.some((name) => {
		const value = el.getAttribute(name);
		if (value === null || /^(tooltip|popover|none)$/.test(value)) return false;
		return !(/->/.test(value) || name === "jsaction" && value.includes(":")) || /click|(mouse|pointer)(down|up)/.test(value);
	});
	const CHOICES = /(^|[\s_-])(chip|pill|option|choice|swatch|selectable|clickable)($|[\s_-])/i;
	const FOR_OTHERS = /^data-(llm-id|test.*|qa.*|cy|reactid|reactroot|v-.*|aos.*|index)$/;
	const isItem = (el) => {
		if (!el.hasAttributes()) return false;
		const isChoice = typeof el.className === "string" && CHOICES.test(el.className);
		if (!isChoice && !hasHeard) return false;
		const name = el.getAttributeNames().find((n) => n.startsWith("data-") && !FOR_OTHERS.test(n));
		const beside = el.parentElement;
		if (!name || !beside) return false;
		const like = (other) => other?.localName === el.localName && other.hasAttribute(name);
		if (!like(el.previousElementSibling) && !like(el.nextElementSibling)) return false;
		if (isChoice) return true;
		for (let up = beside, n = 0; up && up !== document.body && n < 3; up = up.parentElement, n++) if (heard.has(up) && isSmall(up, .6)) return true;
		return false;
	};
	const isSmall = (el, share) => areaOf(el) <= share * innerWidth * innerHeight;
	const BOXES = /* @__PURE__ */ new Set([
		"html",
		"body",
		"main",
		"form",
		"nav",
		"table",
		"thead",
		"tbody",
		"ul",
		"ol",
		"dl",
		"header",
		"footer",
		"aside",
		"iframe",
		"video",
		"audio",
		"canvas",
		"option",
		"optgroup"
	]);
	const takesClicks = (el) => {
		if (BOXES.has(el.localName) || !(heard.has(el) || isHandled(el) || isItem(el)) || labelsField(el)) return false;
		if (el.closest(CONTROL) || !isSmall(el, .25) || styleOf(el).pointerEvents === "none") return false;
		if (isLink(el)) return true;
		if ([...el.querySelectorAll("*")].some((c) => heard.has(c) || isHandled(c)) && !isHandled(el)) return false;
		return (!holdsControls(el) || textBeside(el) !== "") && (el.innerText ?? "").length <= 300;
	};
	const isLink = (el) => el.localName === "a" && !el.hasAttribute("href");
	const labelsField = (el) => {
		const label = el.closest("label");
		return label !== null && (label.control !== null || label.querySelector(CONTROL) !== null);
	};

// page/drawn.ts
	const DRAWN_ROLES = {
		checkbox: "checkbox",
		tickbox: "checkbox",
		radio: "radio",
		switch: "switch",
		toggle: "switch",
		toggler: "switch"
	};
	const OTHER_PARTS = /^(dropdown|menu|nav|navbar|sidebar|collapse|group|label|text|container|wrapper|list|panel|tab|tabs|row|grid|item|accordion|drawer|tree|theme|knob|thumb|handle)$/;
	const ON = /^(on|active|checked|enabled|selected|chosen|pressed)$/;
	const OFF = /^(off|inactive|unchecked|unselected)$/;
	const classTokens = (el) => (el.getAttribute("class") ?? "").split(/\s+/).filter((name) => name && !name.includes(":")).map((name) => name.replace(/(\p{Ll})(\p{Lu})/gu, "$1-$2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean));
	const drawnRole = (el) => {
		for (const words of classTokens(el)) {
			const word = words.find((w) => DRAWN_ROLES[w]);
			if (word && !words.some((w) => OTHER_PARTS.test(w))) return DRAWN_ROLES[word] ?? "";
		}
		return "";
	};
	const stateInClass = (el) => {
		for (const words of [...classTokens(el), [(el.getAttribute("data-state") ?? "").toLowerCase()]]) {
			const last = words.at(-1) ?? "";
			if (ON.test(last)) return "true";
			if (OFF.test(last)) return "false";
		}
		return "";
	};
	const knobOf = (el) => {
		const box = el.getBoundingClientRect();
		if (box.height < 10 || box.height > 44 || box.width < 1.3 * box.height || box.width > 3 * box.height || el.innerText?.trim()) return null;
		if (parseFloat(styleOf(el).borderTopLeftRadius) < .4 * box.height) return null;
		const knobs = [...el.children].filter((child) => {
			const r = child.getBoundingClientRect();
			return r.height >= .45 * box.height && Math.abs(r.width - r.height) <= 2 && r.width < .7 * box.width && parseFloat(styleOf(child).borderTopLeftRadius) >= .4 * r.height;
		});
		return knobs.length === 1 ? knobs[0] : null;
	};
	const knobState = (el, knob) => {
		const [b, k] = [el.getBoundingClientRect(), knob.getBoundingClientRect()];
		const right = k.left + k.width / 2 > b.left + b.width / 2;
		return String(right === (styleOf(el).direction !== "rtl"));
	};
	const drawing = (el) => {
		if (!el.checkVisibility() || el.innerText?.trim() || el.querySelector(INTERACTIVE)) return null;
		const r = el.getBoundingClientRect();
		if (r.width < 8 || r.height < 8 || r.width > 90 || r.height > 48) return null;
		const role = drawnRole(el);
		const knob = role === "checkbox" || role === "radio" ? null : knobOf(el);
		if (knob) return {
			role: "switch",
			checked: stateInClass(el) || knobState(el, knob)
		};
		const state = stateInClass(el) || (el.localName === "i" || el.localName === "svg" ? "" : void 0);
		if (role === "switch") return state ? {
			role,
			checked: state
		} : null;
		if (role && Math.abs(r.width - r.height) <= 4) return {
			role,
			checked: state || String([...el.children].some((c) => visible(c)))
		};
		return null;
	};
	const drawnIn = (el) => {
		if (isField(el) || el.hasAttribute("aria-checked") || el.hasAttribute("aria-pressed") || el.hasAttribute("aria-expanded") || el.hasAttribute("aria-haspopup") || !isSmall(el, .1)) return null;
		const own = drawing(el);
		if (own || !el.firstElementChild || el.querySelector(INTERACTIVE) || (el.innerText ?? "").length > 120) return own;
		const state = stateInClass(el);
		const found = [...el.querySelectorAll("[class]")].slice(0, 8).map(drawing).filter((d) => d !== null);
		return found.length === 1 ? {
			...found[0],
			checked: found[0].checked || state
		} : null;
	};

// page/words.json
	var names = [
		"-password-",
		"-passwd-",
		"pass word",
		"passcode-",
		"pass code",
		"passphrase-",
		"pass phrase",
		"-pwd",
		"pwd-",
		"=pass",
		"=pw",
		"=psw",
		"user pass",
		"login pass",
		"admin pass",
		"my pass",
		"new pass",
		"old pass",
		"current pass",
		"confirm pass",
		"re pass",
		"pass confirm-",
		"pass 1",
		"pass 2",
		"pass1",
		"pass2",
		"pin",
		"pins",
		"pincode-",
		"cvv",
		"cvv2",
		"cvc",
		"cvc2",
		"csc",
		"card verification",
		"card security",
		"card number-",
		"cardnumber-",
		"card no",
		"cardno",
		"card num",
		"cardnum",
		"cc number",
		"ccnumber",
		"cc num",
		"ccnum",
		"creditcard-",
		"credit card",
		"debit card",
		"verification code-",
		"verificationcode-",
		"security code-",
		"securitycode-",
		"access code-",
		"accesscode-",
		"confirmation code-",
		"confirmationcode-",
		"authentication code-",
		"authenticator code-",
		"authorization code-",
		"authorisation code-",
		"auth code-",
		"authcode-",
		"login code-",
		"sign in code-",
		"log in code-",
		"sms code-",
		"smscode-",
		"reset code-",
		"unlock code-",
		"digit code-",
		"backup code-",
		"recovery code-",
		"recovery key-",
		"recovery phrase-",
		"recovery words",
		"secret code-",
		"activation code-",
		"otp",
		"otps",
		"-otp",
		"totp",
		"hotp",
		"one time",
		"onetime-",
		"mfa",
		"2fa",
		"two factor",
		"twofactor-",
		"two step",
		"tan",
		"mtan",
		"secret",
		"secrets",
		"-secret",
		"secretkey-",
		"api key-",
		"apikey-",
		"-apikey",
		"access key-",
		"accesskey-",
		"private key-",
		"privatekey-",
		"encryption key-",
		"signing key-",
		"network key-",
		"wpa key",
		"wep key",
		"psk",
		"pre shared key",
		"preshared key",
		"seed phrase-",
		"seedphrase-",
		"seed words",
		"mnemonic-",
		"token",
		"-token",
		"access tokens",
		"accesstoken-",
		"api tokens",
		"auth tokens",
		"bearer",
		"jwt",
		"ssn",
		"social security",
		"security answer-",
		"maiden name of your mother",
		"mother s maiden name",
		"mothers maiden name",
		"memorable word",
		"memorable information",
		"code word",
		"-passwort-",
		"-passwört-",
		"-passwoert-",
		"-kennwort-",
		"-kennwört-",
		"-geheimzahl-",
		"-losungswort-",
		"-zugangscode-",
		"-sicherheitscode-",
		"-bestätigungscode-",
		"-verifizierungscode-",
		"-verifikationscode-",
		"-einmalcode-",
		"-freischaltcode-",
		"-aktivierungscode-",
		"-wiederherstellungscode-",
		"-wiederherstellungsschlüssel-",
		"-wiederherstellungsphrase-",
		"-prüfnummer-",
		"-prüfziffer-",
		"-kartennummer-",
		"geheimnis",
		"geheimer schlüssel",
		"geheimschlüssel-",
		"privater schlüssel",
		"api schlüssel-",
		"zugriffstoken-",
		"-wachtwoord-",
		"toegangscode-",
		"beveiligingscode-",
		"verificatiecode-",
		"bevestigingscode-",
		"herstelcode-",
		"herstelsleutel-",
		"geheime sleutel",
		"privésleutel-",
		"kaartnummer-",
		"eenmalige code",
		"mot de passe",
		"mots de passe",
		"motdepasse-",
		"code secret",
		"code confidentiel",
		"code de vérification",
		"code de verification",
		"code de sécurité",
		"code de securite",
		"code de confirmation",
		"code d accès",
		"code d acces",
		"code d authentification",
		"code à usage unique",
		"phrase secrète",
		"phrase de récupération",
		"clé secrète",
		"clé privée",
		"clé api",
		"clé d api",
		"clé de récupération",
		"jeton-",
		"numéro de carte",
		"numéro de la carte",
		"cryptogramme-",
		"contraseñ-",
		"contrasen-",
		"=clave",
		"clave secreta",
		"clave de acceso",
		"clave privada",
		"clave api",
		"clave de api",
		"código de verificación",
		"codigo de verificacion",
		"código de seguridad",
		"codigo de seguridad",
		"código de acceso",
		"código de confirmación",
		"código de recuperación",
		"código de un solo uso",
		"código secreto",
		"frase semilla",
		"frase de recuperación",
		"número de tarjeta",
		"numero de tarjeta",
		"senha",
		"senhas",
		"palavra passe",
		"código de verificação",
		"código de segurança",
		"código de confirmação",
		"código de acesso",
		"código de recuperação",
		"chave secreta",
		"chave privada",
		"chave de api",
		"chave api",
		"chave de acesso",
		"frase semente",
		"frase de recuperação",
		"número do cartão",
		"numero do cartao",
		"parola d ordine",
		"codice di verifica",
		"codice di sicurezza",
		"codice segreto",
		"codice di conferma",
		"codice di accesso",
		"codice di recupero",
		"chiave segreta",
		"chiave privata",
		"chiave api",
		"frase di recupero",
		"frase segreta",
		"numero di carta",
		"numero della carta",
		"parola",
		"parolă",
		"parolei",
		"parolele",
		"cod de verificare",
		"cod de securitate",
		"cod de confirmare",
		"cheie secretă",
		"numărul cardului",
		"număr card",
		"hasł-",
		"haseł",
		"haslo",
		"kod weryfikac-",
		"kodu weryfikac-",
		"kod bezpiecze-",
		"kod zabezpiecz-",
		"kod potwierdz-",
		"kod autoryzac-",
		"kod jednorazow-",
		"kod dostępu",
		"kod sms",
		"klucz api",
		"klucz prywatn-",
		"klucz tajn-",
		"tajny klucz",
		"numer karty",
		"fraza odzyskiwania",
		"hesl-",
		"hesel",
		"hesiel",
		"ověřovací kód",
		"overovací kód",
		"bezpečnostní kód",
		"bezpečnostný kód",
		"potvrzovací kód",
		"potvrdzovací kód",
		"jednorázový kód",
		"číslo karty",
		"tajný klíč",
		"geslo",
		"gesla",
		"lozink-",
		"kod za potvrdu",
		"sigurnosni kod",
		"лозинк-",
		"-lösenord-",
		"-losenord-",
		"engångskod-",
		"verifieringskod-",
		"säkerhetskod-",
		"bekräftelsekod-",
		"återställningskod-",
		"pinkod-",
		"kortnummer-",
		"-adgangskode-",
		"-kodeord-",
		"-passord-",
		"engangskode-",
		"bekræftelseskode-",
		"bekreftelseskode-",
		"sikkerhedskode-",
		"sikkerhetskode-",
		"verifikationskode-",
		"verifiseringskode-",
		"gendannelseskode-",
		"lykilorð-",
		"salasan-",
		"salalause-",
		"tunnusluku-",
		"tunnusluvu-",
		"vahvistuskood-",
		"turvakood-",
		"kertakäyttö-",
		"korttinumero-",
		"kortin numero",
		"parool-",
		"salasõn-",
		"slaptažod-",
		"parole",
		"parol",
		"jelsz-",
		"biztonsági kód",
		"ellenőrző kód",
		"megerősítő kód",
		"egyszer használatos",
		"kártyaszám-",
		"titkos kulcs",
		"κωδικός πρόσβασης",
		"κωδικού πρόσβασης",
		"κωδικοί πρόσβασης",
		"κωδικό πρόσβασης",
		"=κωδικός",
		"συνθηματικ-",
		"κωδικός επαλήθευσης",
		"κωδικός ασφαλείας",
		"κωδικός επιβεβαίωσης",
		"αριθμός κάρτας",
		"κρυφό κλειδί",
		"парол-",
		"код подтверждения",
		"код проверки",
		"проверочный код",
		"код безопасности",
		"код доступа",
		"код из смс",
		"код из sms",
		"одноразов-",
		"пин",
		"секрет",
		"секретн-",
		"токен-",
		"ключ api",
		"api ключ",
		"приватный ключ",
		"закрытый ключ",
		"номер карты",
		"сид фраз-",
		"фраза восстановления",
		"кодовое слово",
		"код підтвердження",
		"код перевірки",
		"код безпеки",
		"код доступу",
		"номер картки",
		"ключ доступу",
		"код за потвърждение",
		"код за сигурност",
		"şifre-",
		"sifre-",
		"şifrə-",
		"parolan-",
		"parolası",
		"parolayı",
		"doğrulama kodu",
		"onay kodu",
		"güvenlik kodu",
		"tek kullanımlık",
		"erişim anahtarı",
		"gizli anahtar",
		"api anahtarı",
		"özel anahtar",
		"kart numarası",
		"pin kodu",
		"كلمة المرور",
		"كلمه المرور",
		"كلمة مرور",
		"كلمة السر",
		"كلمة سر",
		"كلمات المرور",
		"الرقم السري",
		"رمز التحقق",
		"رمز الأمان",
		"رمز سري",
		"الرمز السري",
		"رمز التأكيد",
		"رمز الدخول",
		"رمز الوصول",
		"رقم البطاقة",
		"رمز عبور",
		"گذرواژه",
		"کلمه عبور",
		"پاس ورڈ",
		"-סיסמ-",
		"קוד אימות",
		"קוד אבטחה",
		"קוד סודי",
		"קוד גישה",
		"מספר כרטיס",
		"पासवर्ड-",
		"कूटशब्द",
		"गुप्त कोड",
		"सत्यापन कोड",
		"सुरक्षा कोड",
		"ओटीपी",
		"पिन",
		"कार्ड नंबर",
		"पासकोड",
		"পাসওয়ার্ড",
		"கடவுச்சொல்",
		"รหัสผ่าน",
		"รหัสลับ",
		"รหัสยืนยัน",
		"รหัส otp",
		"รหัสความปลอดภัย",
		"รหัสปลอดภัย",
		"หมายเลขบัตร",
		"พาสเวิร์ด",
		"mật khẩu",
		"mã xác minh",
		"mã xác nhận",
		"mã xác thực",
		"mã bảo mật",
		"mã truy cập",
		"số thẻ",
		"khóa api",
		"khoá api",
		"khóa bí mật",
		"khóa riêng",
		"kata sandi",
		"kata laluan",
		"sandi",
		"kode verifikasi",
		"kode keamanan",
		"kode konfirmasi",
		"kode akses",
		"kod pengesahan",
		"nomor kartu",
		"nombor kad",
		"kunci api",
		"kunci rahasia",
		"パスワード",
		"パスコード",
		"パスフレーズ",
		"暗証",
		"合言葉",
		"認証コード",
		"確認コード",
		"検証コード",
		"セキュリティコード",
		"セキュリティ コード",
		"ワンタイム",
		"カード番号",
		"秘密鍵",
		"apiキー",
		"api キー",
		"シークレット",
		"トークン",
		"リカバリーフレーズ",
		"復元フレーズ",
		"密码",
		"密碼",
		"口令",
		"验证码",
		"驗證碼",
		"校验码",
		"动态码",
		"動態碼",
		"安全码",
		"安全碼",
		"卡号",
		"卡號",
		"密钥",
		"密鑰",
		"金鑰",
		"私钥",
		"私鑰",
		"助记词",
		"助記詞",
		"令牌",
		"恢复短语",
		"비밀번호",
		"패스워드",
		"암호",
		"인증번호",
		"인증 번호",
		"인증코드",
		"인증 코드",
		"보안코드",
		"보안 코드",
		"확인코드",
		"확인 코드",
		"카드번호",
		"카드 번호",
		"개인키",
		"비밀키",
		"시드 구문",
		"복구 구문",
		"토큰"
	];
	var notMeant$1 = [
		"passwordless",
		"password manager-",
		"password polic-",
		"password length",
		"password age",
		"password expir-",
		"password strength",
		"password rule-",
		"token ring",
		"token name-",
		"token symbol-",
		"token address-",
		"token amount-",
		"token type-",
		"token id",
		"token ids",
		"token sale-",
		"token holder-",
		"token suppl-",
		"token price-",
		"token count-",
		"token limit-",
		"token contract-",
		"token standard-",
		"max token",
		"token usage",
		"secret santa",
		"secret shopper",
		"trade secret-",
		"secret garden",
		"pin to",
		"pin this",
		"pin post",
		"pin message",
		"pin title",
		"pin description",
		"pin board",
		"pin name",
		"pin note",
		"pin item",
		"pin location",
		"drop pin",
		"drop a pin",
		"map pin",
		"postal pin code",
		"postal pin",
		"area pin code",
		"area pin",
		"pin zip",
		"zip pin",
		"parola chiave",
		"parole chiave",
		"parola o frase",
		"gift card code",
		"tan lines"
	];
	var autocomplete = [
		"current-password",
		"new-password",
		"one-time-code",
		"cc-number",
		"cc-csc",
		"cc-exp",
		"cc-exp-month",
		"cc-exp-year"
	];
	var ordinary = [
		"name",
		"honorific-prefix",
		"given-name",
		"additional-name",
		"family-name",
		"honorific-suffix",
		"nickname",
		"username",
		"organization-title",
		"organization",
		"street-address",
		"address-line1",
		"address-line2",
		"address-line3",
		"address-level4",
		"address-level3",
		"address-level2",
		"address-level1",
		"country",
		"country-name",
		"postal-code",
		"transaction-currency",
		"transaction-amount",
		"language",
		"bday",
		"bday-day",
		"bday-month",
		"bday-year",
		"sex",
		"url",
		"photo",
		"tel",
		"tel-country-code",
		"tel-national",
		"tel-area-code",
		"tel-local",
		"tel-extension",
		"email",
		"impp",
		"cc-name",
		"cc-given-name",
		"cc-additional-name",
		"cc-family-name",
		"cc-type"
	];

// page/secret.ts
	const secretFields = /* @__PURE__ */ new WeakSet();
	const secretKeys = /* @__PURE__ */ new Set();
	const secretValues = /* @__PURE__ */ new Set();
	const SHORTEST_SECRET = 4;
	const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
	const entryOf = (entry) => {
		const [, whole = "", infix = "", text = "", prefix = ""] = /^(=?)(-?)(.*?)(-?)$/u.exec(entry) ?? [];
		if (NO_SPACES.test(text)) return {
			text,
			whole
		};
		return {
			text: (infix ? "" : " ") + text + (prefix ? "" : " "),
			whole
		};
	};
	const secretNames = names.map(entryOf);
	const notMeant = notMeant$1.map(entryOf);
	const namesSecret = (label) => {
		if (!label || label.length > 120) return false;
		const known = judged.get(label);
		if (known !== void 0) return known;
		if (judged.size > 2e3) judged.clear();
		const is = readsSecret(label);
		judged.set(label, is);
		return is;
	};
	const judged = /* @__PURE__ */ new Map();
	const readsSecret = (label) => {
		if ([...label].length > 60) return false;
		let words = ` ${label.normalize("NFC").replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, " ").trim()} `;
		for (const { text } of notMeant) words = words.replaceAll(text, " ");
		return secretNames.some(({ text, whole }) => whole ? words === text : words.includes(text));
	};
	const FIXED = /* @__PURE__ */ new Set([
		"checkbox",
		"radio",
		"button",
		"submit",
		"reset",
		"image",
		"file",
		"range",
		"search",
		"email",
		"url",
		"date",
		"time",
		"datetime-local",
		"month",
		"week",
		"color"
	]);
	const MAY_HOLD_SECRETS = "input,textarea,[contenteditable],[role=textbox],[role=spinbutton]";
	const takesText = (el) => el.localName === "textarea" || el.localName === "input" && !FIXED.has(el.type ?? "") || el.isContentEditable && !el.parentElement?.isContentEditable || ["textbox", "spinbutton"].includes(el.getAttribute("role") ?? "");
	const autocompleteOf = (el) => (el.getAttribute("autocomplete") ?? "").toLowerCase().split(/\s+/);
	const labelsOf = (el) => [
		el.getAttribute("name"),
		el.id,
		el.getAttribute("aria-label"),
		textOfIDs(el, "aria-labelledby"),
		el.getAttribute("placeholder"),
		el.getAttribute("aria-placeholder"),
		el.getAttribute("data-placeholder"),
		el.title,
		el.getAttribute("data-label"),
		...[...el.labels ?? []].map((l) => l.textContent),
		textBefore(el)
	];
	const looksSecret = (el) => {
		if (el.localName === "input" && el.type === "password") return true;
		if (!takesText(el)) return false;
		if (!["none", ""].includes(styleOf(el).getPropertyValue("-webkit-text-security"))) return true;
		const tokens = autocompleteOf(el);
		if (tokens.some((t) => autocomplete.includes(t))) return true;
		if (tokens.some((t) => ordinary.includes(t))) return false;
		return labelsOf(el).some((label) => namesSecret(label && label.trim()));
	};
	const keyOf$1 = (el) => {
		const name = el.getAttribute("name") || el.id ? `${el.getAttribute("name")} ${el.id}` : nameOf(el);
		return name && `${el.localName} ${name}`;
	};
	const isSecret = (el) => {
		const key = keyOf$1(el);
		if (!secretFields.has(el)) {
			if (!(key && secretKeys.has(key) && takesText(el)) && !looksSecret(el)) return false;
			secretFields.add(el);
			if (key) secretKeys.add(key);
		}
		const held = textIn(el).trim();
		if (held.length >= SHORTEST_SECRET) {
			secretValues.delete(held);
			secretValues.add(held);
			if (secretValues.size > 20) secretValues.delete([...secretValues][0]);
		}
		return true;
	};
	const isFilledSecret = (el) => isSecret(el) && textIn(el) !== "";
	const rememberSecret = (record) => {
		const target = record.target;
		if (record.type === "attributes") {
			if (record.attributeName === "type" && record.oldValue?.toLowerCase() === "password") {
				secretFields.add(target);
				isSecret(target);
				const key = keyOf$1(target);
				if (key) secretKeys.add(key);
			}
			return;
		}
		for (const n of record.removedNodes) {
			if (!isElement(n)) continue;
			for (const el of [n, ...n.querySelectorAll("input[type=password i]")]) if (el.matches("input[type=password i]")) isSecret(el);
		}
	};
	const removeSecrets = (text) => {
		for (const value of secretValues) for (const form of [value, encodeURIComponent(value.toWellFormed())]) if (text.includes(form)) text = text.replaceAll(form, "[secret]");
		return text;
	};

// page/seen.ts
	const INLINE = /* @__PURE__ */ new Set([
		"a",
		"abbr",
		"b",
		"bdi",
		"bdo",
		"big",
		"cite",
		"code",
		"data",
		"del",
		"dfn",
		"em",
		"font",
		"i",
		"img",
		"ins",
		"kbd",
		"label",
		"mark",
		"q",
		"s",
		"samp",
		"slot",
		"small",
		"span",
		"strong",
		"sub",
		"sup",
		"svg",
		"time",
		"tt",
		"u",
		"var",
		"wbr"
	]);
	const unknown = /* @__PURE__ */ new Map();
	const isUnknown = (el) => {
		const known = unknown.get(el.localName);
		if (known !== void 0) return known;
		const is = el instanceof HTMLUnknownElement;
		unknown.set(el.localName, is);
		return is;
	};
	const isInlineTag = (el) => INLINE.has(el.localName) || el.localName.includes("-") || isUnknown(el);
	const linesOf = (text) => {
		const range = text.ownerDocument.createRange();
		range.selectNodeContents(text);
		return [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
	};
	const ownBox = (node, around, test) => {
		for (let el = node.parentElement; el && el !== around; el = el.parentElement) if (test(styleOf(el).display)) return true;
		return false;
	};
	const isBlock = (display) => !display.startsWith("inline") && display !== "contents" && !display.startsWith("ruby");
	const isAtomic = (display) => display.startsWith("inline-");
	const between = (before, after) => {
		const [last, first] = [linesOf(before).at(-1), linesOf(after)[0]];
		if (!last || !first) return "";
		let around = before.parentElement;
		while (around && !around.contains(after)) around = around.parentElement;
		const parted = (test) => ownBox(before, around, test) || ownBox(after, around, test);
		const height = Math.min(last.height, first.height);
		if (Math.min(last.bottom, first.bottom) - Math.max(last.top, first.top) > .3 * height) return Math.max(first.left - last.right, last.left - first.right) > Math.max(1.5, .1 * height) || parted(isBlock) ? " " : "";
		if (parted(isBlock)) return "\n";
		return parted(isAtomic) ? " " : "";
	};
	const seenText = (el, skip = () => false, max = 400) => {
		let out = "";
		let last = null;
		const read = (node) => {
			if (out.length > max) return;
			if (isText(node)) {
				if (node.data === "") return;
				if (last && !/^\s/.test(node.data) && !/\s$/.test(out)) out += between(last, node);
				out += node.data;
				last = node;
				return;
			}
			if (!isElement(node) || node.matches("script,style,noscript,template") || skip(node)) return;
			if (!isRendered(node, { checkVisibilityCSS: true })) return;
			if (!isInlineTag(node)) out += " ";
			for (const child of contentsOf(node)) read(child);
			if (!isInlineTag(node)) out += " ";
		};
		for (const child of contentsOf(el)) read(child);
		return out;
	};
	const spaced = (el) => {
		const inner = el.innerText ?? "";
		const letters = [...inner.replace(/\s+/g, "")];
		const seen = seenText(el);
		if (letters.length === 0) return seen;
		if (letters.length > 300 || letters.join("").toLowerCase() !== seen.replace(/\s+/g, "").toLowerCase()) return inner;
		let out = "";
		let n = 0;
		for (const c of seen) out += /\s/.test(c) ? " " : letters[n++];
		return out;
	};

// page/describe.ts
	const INTERACTIVE = [
		"a[href]",
		"area[href]",
		"button",
		"input:not([type=hidden])",
		"textarea",
		"select",
		"summary",
		"audio[controls]",
		"video[controls]",
		"[onclick]",
		"[tabindex]:not([tabindex^='-'])",
		"[contenteditable='']",
		"[contenteditable=true]",
		"[contenteditable=plaintext-only]",
		...[
			"button",
			"link",
			"menuitem",
			"menuitemcheckbox",
			"menuitemradio",
			"tab",
			"option",
			"checkbox",
			"radio",
			"switch",
			"slider",
			"spinbutton",
			"textbox",
			"searchbox",
			"combobox",
			"treeitem"
		].map((r) => `[role=${r}]`)
	].join(",");
	const clean = (text, max = 100) => removeSecrets((text ?? "").slice(0, 4 * max + 1e3)).toWellFormed().normalize().replace(/[\s\p{Zs}]+/gu, " ").trim().slice(0, max).toWellFormed();
	const styleOf = (el) => getComputedStyle(el);
	const CONTROL = INTERACTIVE.split(",").filter((s) => !s.startsWith("[tabindex]") && !s.startsWith("[onclick]")).join(",");
	let hands = null;
	const keepHands = (keep) => {
		hands = keep ? /* @__PURE__ */ new Map() : null;
	};
	const noteHand = (el, cursor) => hands?.set(el, cursor === "pointer");
	const hasHand = (el) => {
		const known = hands?.get(el);
		if (known !== void 0) return known;
		const has = styleOf(el).cursor === "pointer";
		hands?.set(el, has);
		return has;
	};
	const handRules = (root) => {
		const known = handRulesOf.get(root);
		if (known && performance.now() - known.at < 1e3) return known.selectors;
		const selectors = [];
		const read = (rules) => {
			for (const rule of rules) if (rule.style?.cursor === "pointer" && !/(^|[\s>+~,])\*/.test(rule.selectorText ?? "*")) selectors.push(rule.selectorText ?? "");
			else if (rule.cssRules && !rule.selectorText) read(rule.cssRules);
		};
		for (const sheet of [...root.styleSheets ?? [], ...root.adoptedStyleSheets ?? []]) try {
			read(sheet.cssRules);
		} catch {}
		handRulesOf.set(root, {
			at: performance.now(),
			selectors
		});
		return selectors;
	};
	const handRulesOf = /* @__PURE__ */ new WeakMap();
	const ownHand = (el) => el.style?.cursor === "pointer" || handRules(el.getRootNode()).some((selector) => el.matches(selector));
	const areaOf = (el) => {
		const r = el.getBoundingClientRect();
		return r.width * r.height;
	};
	const looksClickable = (el) => {
		if (takesClicks(el)) return true;
		if (["html", "body"].includes(el.localName) || !hasHand(el) || el.closest(CONTROL) || labelsField(el)) return false;
		if (el.localName === "label" && drawnIn(el) === null) return false;
		const parent = el.parentElement;
		if (parent && hasHand(parent)) return isPartWithHand(el);
		return !holdsControls(el) || textBeside(el) !== "";
	};
	const isPartWithHand = (el) => {
		if (!ownHand(el)) return false;
		let whole = el;
		while (whole.parentElement && hasHand(whole.parentElement)) whole = whole.parentElement;
		return 2 * areaOf(el) < areaOf(whole) && ![...el.children].some((child) => ownHand(child));
	};
	const holdsControls = (el) => el.querySelector(INTERACTIVE) !== null;
	const textBeside = (el) => {
		const hand = hasHand(el);
		const skip = (node) => node.matches(`label,${INTERACTIVE}`) || !visible(node) || hand && (!hasHand(node) || isPartWithHand(node));
		const text = clean(seenText(el, skip));
		return text.length > MAX_ROW_NAME ? text.slice(0, MAX_ROW_NAME).replace(/\s\S*$/, "") : text;
	};
	const MAX_ROW_NAME = 80;
	const isInteractive = (el) => el.matches(INTERACTIVE) || looksClickable(el);
	const INPUT_ROLES = {
		button: "button",
		submit: "button",
		reset: "button",
		image: "button",
		checkbox: "checkbox",
		radio: "radio",
		range: "slider",
		number: "spinbutton",
		search: "searchbox",
		file: "button",
		color: "button"
	};
	const TAG_ROLES = {
		a: "link",
		area: "link",
		button: "button",
		textarea: "textbox",
		summary: "button",
		option: "option"
	};
	const roleOf = (el) => {
		const explicit = el.getAttribute("role")?.trim().split(/\s+/)[0].toLowerCase();
		if (explicit && explicit !== "none" && explicit !== "presentation") return explicit;
		if (el.localName === "input") return INPUT_ROLES[el.type ?? ""] ?? "textbox";
		if (el.localName === "select") return el.multiple || (el.size ?? 0) > 1 ? "listbox" : "combobox";
		if (el.isContentEditable) return "textbox";
		if (isLink(el) && looksClickable(el)) return "link";
		const drawn = drawnIn(el);
		if (drawn) return drawn.role;
		return TAG_ROLES[el.localName] ?? (el.matches(INTERACTIVE) || looksClickable(el) ? "button" : "region");
	};
	const textOfIDs = (el, attribute) => !el.hasAttribute(attribute) ? "" : (el.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean).map((id) => el.getRootNode().getElementById?.(id)?.textContent ?? "").join(" ");
	const labelText = (label) => seenText(label, (node) => node.matches(CONTROL)).trim() || label.textContent;
	const textBefore = (el) => {
		const before = el.previousElementSibling;
		if (before && !before.matches(INTERACTIVE)) return before.textContent;
		const text = el.previousSibling;
		return text && isText(text) ? text.data : "";
	};
	const regionName = (el) => clean(el.getAttribute("aria-label"), 60) || clean(textOfIDs(el, "aria-labelledby"), 60) || clean([...el.querySelectorAll("h1,h2,h3,h4,h5,h6,[role=heading]")].find(visible)?.innerText, 60);
	const isField = (el) => [
		"input",
		"textarea",
		"select"
	].includes(el.localName);
	const isRow = (el) => !isField(el) && !el.isContentEditable && holdsControls(el) && isInteractive(el) && textBeside(el) !== "";
	const nameOf = (el) => {
		const candidates = [
			() => el.getAttribute("aria-label"),
			() => textOfIDs(el, "aria-labelledby"),
			() => isRow(el) ? textBeside(el) : "",
			() => [...el.labels ?? []].map(labelText).join(" "),
			() => el.localName === "input" && [
				"submit",
				"button",
				"reset"
			].includes(el.type ?? "") ? textIn(el) : "",
			() => isField(el) || el.isContentEditable ? "" : spaced(el),
			() => el.getAttribute("placeholder"),
			() => el.getAttribute("title"),
			() => el.getAttribute("alt") ?? el.querySelector("img[alt],svg title")?.getAttribute("alt"),
			() => isField(el) ? textBefore(el) : "",
			() => el.getAttribute("data-label") ?? el.getAttribute("name")
		];
		for (const candidate of candidates) {
			const name = clean(candidate());
			if (name) return name;
		}
		return "";
	};
	const hasTextValue = (el) => el.localName === "textarea" || el.localName === "input" && ![
		"checkbox",
		"radio",
		"button",
		"submit",
		"reset",
		"image",
		"file"
	].includes(el.type ?? "");
	const valueOf = (el) => {
		if (isSecret(el)) return "";
		if (hasTextValue(el)) return clean(textIn(el), 500);
		if (el.localName === "select") return clean([...el.selectedOptions ?? []].map((o) => o.label).join(", "));
		if (el.isContentEditable) return clean(el.innerText, 500);
		return clean(el.getAttribute("aria-valuetext") ?? el.getAttribute("aria-valuenow"));
	};
	const isDisabled = (el) => el.matches(":disabled") || el.closest("[inert]") !== null || el.getAttribute("aria-disabled") === "true";
	const checkedOf = (el) => {
		if (el.localName === "input" && ["checkbox", "radio"].includes(el.type ?? "")) return el.indeterminate ? "mixed" : String(el.checked);
		return el.getAttribute("aria-checked") ?? el.getAttribute("aria-pressed") ?? drawnIn(el)?.checked ?? "";
	};
	const expandedOf = (el) => {
		if (el.localName === "summary" && el.parentElement?.localName === "details") return String(el.parentElement.open);
		return el.getAttribute("aria-expanded") ?? "";
	};
	const outOfForm = (el) => hasTextValue(el) && el.value !== "" && el.willValidate && el.validity?.valid === false;
	const stateOf = (el) => {
		const yes = (name) => el.getAttribute(name) === "true";
		const checked = checkedOf(el);
		const expanded = expandedOf(el);
		return [
			isDisabled(el) && "disabled",
			checked === "true" ? "checked" : checked === "false" ? "unchecked" : checked === "mixed" && "mixed",
			expanded === "true" ? "expanded" : expanded === "false" && "collapsed",
			(yes("aria-selected") || el.localName === "option" && el.selected) && "selected",
			(el.required === true || yes("aria-required")) && "required",
			(el.readOnly === true || yes("aria-readonly")) && "readonly",
			(yes("aria-invalid") || outOfForm(el)) && "invalid",
			!["", "false"].includes(el.getAttribute("aria-haspopup") ?? "") && "haspopup",
			isSecret(el) && "secret",
			isFilledSecret(el) && "filled",
			onHover(el) && "onhover"
		].filter((s) => typeof s === "string");
	};

// page/frames.ts
	const MOST = 200;
	const MOST_OF_ONE = 3;
	const tokens = /* @__PURE__ */ new Map();
	const hello = (token) => {
		parent.postMessage({ stepledger: token }, "*");
	};
	const isUnreached = (el) => isFrame(el) && documentOf(el) === null;
	const hearChild = (e) => {
		if (!e.isTrusted) return;
		const token = e.data?.stepledger;
		if (typeof token !== "string" || token === "" || token.length > 100) return;
		e.stopImmediatePropagation();
		if (tokens.has(token)) return;
		for (const el of scanPage().unreached) {
			if (el.contentWindow !== e.source) continue;
			const mine = [...tokens].filter(([, ref]) => ref.deref() === el).map(([name]) => name);
			if (mine.length >= MOST_OF_ONE) tokens.delete(mine[0]);
			for (const [name, ref] of tokens) if (!ref.deref()?.isConnected) tokens.delete(name);
			if (tokens.size < MOST) tokens.set(token, new WeakRef(el));
			return;
		}
	};
	const hearChildren = (doc) => doc.defaultView?.addEventListener("message", hearChild, true);
	const frameOf = (token) => {
		const el = tokens.get(token)?.deref();
		return el?.isConnected && el.ownerDocument.defaultView && isUnreached(el) ? el : null;
	};
	const tokenOf = (frame, asked) => {
		let found = "";
		for (const [token, el] of tokens) if (el.deref() === frame && (asked?.includes(token) ?? true)) found = token;
		return found;
	};
	const framesHere = (scan, offset, asked) => {
		const list = [];
		for (const el of scan.unreached) {
			const token = visible(el) ? tokenOf(el, asked) : "";
			if (token) list.push({
				token,
				frame: frameNumber(el),
				box: moved(contentBox(el), offset),
				hit: !isCovered(el)
			});
		}
		return list;
	};
	const moved = ([x, y, w, h], by) => [
		Math.round(x + by.x),
		Math.round(y + by.y),
		Math.round(w),
		Math.round(h)
	];
	const contentBox = (el) => {
		const o = offsetOf(el);
		const corner = contentCorner(el);
		const style = styleOf(el);
		const w = el.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
		const h = el.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
		return [
			o.x + corner.x,
			o.y + corner.y,
			w,
			h
		];
	};
	const frameAt = (token, x, y) => {
		const el = frameOf(token);
		if (!el) return {
			found: false,
			hit: false
		};
		const [left, top, width, height] = contentBox(el);
		const at = {
			x: left + x,
			y: top + y
		};
		if (x < 0 || y < 0 || x >= width || y >= height) return {
			found: true,
			hit: false,
			...at,
			cover: ""
		};
		const hit = topAt(at.x, at.y);
		const cover = hit && hit !== el ? `${roleOf(hit)} ${JSON.stringify(clean(hit.innerText ?? "", 60))}` : "";
		return {
			found: true,
			hit: hit === el,
			...at,
			cover
		};
	};
	const showFrame = (token, box) => {
		const el = frameOf(token);
		if (!el) return { found: false };
		const [x, y] = [box[0] + box[2] / 2, box[1] + box[3] / 2];
		const isSeen = () => frameAt(token, x, y).hit;
		for (let up = parentOf(el); up && !isSeen(); up = parentOf(up)) if (up.nodeType === 1) bringInto(up, el, x, y);
		return { found: true };
	};
	const bringInto = (box, frame, x, y) => {
		const root = box === box.ownerDocument.scrollingElement;
		if (!root && ![
			"auto",
			"scroll",
			"hidden"
		].includes(styleOf(box).overflowY) && ![
			"auto",
			"scroll",
			"hidden"
		].includes(styleOf(box).overflowX)) return;
		const view = box.ownerDocument.defaultView ?? window;
		const o = offsetOf(box);
		const r = box.getBoundingClientRect();
		const middle = root ? {
			x: o.x + view.innerWidth / 2,
			y: o.y + view.innerHeight / 2
		} : {
			x: o.x + r.left + box.clientLeft + box.clientWidth / 2,
			y: o.y + r.top + box.clientTop + box.clientHeight / 2
		};
		const [left, top] = contentBox(frame);
		box.scrollBy({
			left: left + x - middle.x,
			top: top + y - middle.y,
			behavior: "instant"
		});
	};

// page/row.ts
	const ITEM = "tr,li,p,dt,dd,article,figure,option,label,[role=row],[role=listitem],[role=option],[role=treeitem],[role=article],[role=group]";
	const WHOLE = "html,body,main,nav,header,footer,aside,form,table,tbody,thead,tfoot,ul,ol,dl,menu,dialog,fieldset,[role=main],[role=list],[role=table],[role=grid],[role=tree],[role=dialog],[role=listbox],[role=menu],[role=toolbar]";
	const CHANGING = "script,style,noscript,template,select,textarea,time,progress,meter,[contenteditable=''],[contenteditable=true],[role=alert],[role=status],[role=timer],[aria-live]";
	const LONGEST = 160;
	const LONGEST_CARD = 400;
	const textBesides = (box, left, max) => {
		let out = "";
		const read = (node) => {
			if (out.length > max) return;
			if (isText(node)) out += node.data;
			if (!isElement(node) || node === left || node.matches(CHANGING)) return;
			out += " ";
			for (const child of (shadowOf(node) ?? node).childNodes) read(child);
			out += " ";
		};
		read(box);
		return out.trim() === "" ? "" : out;
	};
	const rowOf = (el) => {
		for (let box = above(el); box && !box.matches(WHOLE); box = above(box)) {
			const isItem = box.matches(ITEM);
			const text = textBesides(box, el, isItem ? LONGEST : LONGEST_CARD);
			if (text.trim() === "") continue;
			return isItem || text.length <= LONGEST_CARD ? clean(text, LONGEST) : "";
		}
		return "";
	};

// page/ghost.ts
	let shown = /* @__PURE__ */ new Map();
	let path = "";
	const here = () => location.href.replace(/[?#].*$/, "");
	const keyOf = (n) => JSON.stringify([
		n.role,
		n.name,
		n.row
	]);
	const remember = (nodes) => {
		path = here();
		const list = nodes.map((n) => {
			const el = resolve(n.id);
			return {
				id: n.id,
				role: n.role,
				name: n.name,
				box: n.box,
				row: el ? rowOf(el) : "",
				twin: false
			};
		});
		const count = /* @__PURE__ */ new Map();
		for (const n of list) count.set(keyOf(n), (count.get(keyOf(n)) ?? 0) + 1);
		shown = new Map(list.map(({ id, ...n }) => [id, {
			...n,
			twin: (count.get(keyOf(n)) ?? 0) > 1
		}]));
	};
	const NAME = .4;
	const ROLE = .3;
	const PLACE = .3;
	const THRESHOLD = .5;
	const RADIUS = 50;
	const middle = ([x, y, w, h]) => [x + w / 2, y + h / 2];
	const score = (was, now) => {
		if (was.name !== now.name) return 0;
		const [ax, ay] = middle(was.box);
		const [bx, by] = middle(now.box);
		return (was.name === "" ? 0 : NAME) + (was.role === now.role ? ROLE : 0) + (Math.hypot(ax - bx, ay - by) <= RADIUS ? PLACE : 0);
	};
	const best = (was, nodes) => {
		let found = null;
		let top = THRESHOLD;
		let tied = false;
		for (const n of nodes) {
			if (shown.has(n.id)) continue;
			const s = score(was, n);
			const el = s >= top ? resolve(n.id) : null;
			if (!el || rowOf(el) !== was.row) continue;
			tied = s === top && found !== null;
			if (!tied) found = n;
			top = s;
		}
		return tied ? null : found;
	};
	const ghost = (id, start = 0, startFrame = 0) => {
		numberFrom(start, startFrame);
		const was = shown.get(id);
		if (!was || was.twin || path !== here()) return numbered();
		const found = best(was, tree());
		return found ? {
			id: found.id,
			...numbered()
		} : numbered();
	};
	const numbered = () => ({
		lastID: lastNumber(),
		lastFrame: lastFrameNumber()
	});
	const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
	const keeps = (was, now) => {
		const words = wordsOf(was);
		const left = new Set(wordsOf(now));
		return words.filter((w) => left.has(w)).length >= .75 * words.length;
	};
	const same = (id, expected = {}) => {
		const el = resolve(id);
		if (!el) return {
			found: false,
			same: false,
			differs: [],
			role: "",
			name: "",
			row: ""
		};
		const was = shown.get(id);
		const want = {
			role: was?.role,
			name: was?.name,
			row: was?.row,
			...expected
		};
		const name = nameOf(el);
		const isCalled = [
			name,
			clean(name, 60),
			regionName(el)
		].find((n) => n === want.name);
		const now = {
			role: roleOf(el),
			name: isCalled ?? name,
			row: rowOf(el)
		};
		const differs = [];
		if (want.role !== void 0 && want.role !== now.role) differs.push("role");
		if (want.name !== void 0 && want.name !== now.name) differs.push("name");
		if (want.row !== void 0 && !keeps(want.row, now.row)) differs.push("row");
		return {
			found: true,
			same: differs.length === 0,
			differs,
			...now
		};
	};

// page/layer.ts
	let covering = null;
	const isPlaced = (el) => ["fixed", "absolute"].includes(styleOf(el).position);
	const fillsViewport = (el) => {
		const r = el.getBoundingClientRect();
		return r.left <= 1 && r.top <= 1 && r.right >= innerWidth - 20 && r.bottom >= innerHeight - 1;
	};
	const placedAround = (hit) => {
		const found = [];
		for (let el = hit; el && el !== document.body && el !== document.documentElement; el = el.parentElement) if (isPlaced(el)) found.unshift(el);
		return found;
	};
	const coverOf = (nodes) => {
		const [w, h] = [innerWidth, innerHeight];
		const corners = [
			[4, 4],
			[w - 24, 4],
			[4, h - 4],
			[w - 24, h - 4]
		].map(([x, y]) => document.elementFromPoint(x, y)).filter((el) => el !== null);
		const candidates = new Set(corners.flatMap(placedAround));
		const outside = (el) => nodes.filter((n) => !n.frame && !within(resolve(n.id), el));
		for (const el of candidates) {
			if (!fillsViewport(el) || corners.filter((c) => el.contains(c)).length < 3) continue;
			if (!outside(el).some((n) => n.occluded)) continue;
			if (el.innerText?.trim() !== "") return el;
			for (const [fx, fy] of [
				[.5, .5],
				[.5, .35],
				[.5, .2],
				[.5, .7],
				[.9, .5],
				[.1, .5]
			]) {
				const hit = document.elementFromPoint(w * fx, h * fy);
				const over = hit && placedAround(hit).find((p) => !p.contains(el) && !el.contains(p) && p.innerText?.trim() !== "");
				if (over) return over;
			}
		}
		return null;
	};
	const noteCover = (nodes) => {
		covering = coverOf(nodes);
	};

// page/html.ts
	const VOID$1 = /* @__PURE__ */ new Set([
		"area",
		"base",
		"br",
		"col",
		"embed",
		"hr",
		"img",
		"input",
		"link",
		"meta",
		"source",
		"track",
		"wbr"
	]);
	const DROPPED = /* @__PURE__ */ new Set([
		"script",
		"style",
		"noscript",
		"template",
		"link",
		"meta",
		"base"
	]);
	const HEAVY = /* @__PURE__ */ new Set([
		"svg",
		"canvas",
		"video",
		"audio",
		"picture",
		"object",
		"embed"
	]);
	const KEPT_UNRENDERED = /* @__PURE__ */ new Set([
		"html",
		"head",
		"title",
		"option",
		"optgroup",
		"datalist",
		"source",
		"area"
	]);
	const ESCAPES = {
		"&": "&amp;",
		"<": "&lt;",
		">": "&gt;",
		"\"": "&quot;"
	};
	const escapeText = (s) => removeSecrets(s).replace(/[&<>]/g, (c) => ESCAPES[c]);
	const escapeAttribute = (s) => removeSecrets(s).replace(/[&"]/g, (c) => ESCAPES[c]);
	const liveAttributes = (el) => {
		const all = new Map(el.getAttributeNames().map((name) => [name, el.getAttribute(name) ?? ""]));
		const flag = (name, on) => on ? all.set(name, "") : all.delete(name);
		if (el.localName === "option") flag("selected", el.selected);
		if (el.localName !== "input") return all;
		if (isSecret(el)) {
			all.delete("value");
			all.delete("data-filled");
			if (isFilledSecret(el)) all.set("data-filled", "");
		} else if (hasTextValue(el)) all.set("value", textIn(el));
		if (["checkbox", "radio"].includes(el.type ?? "")) flag("checked", el.checked);
		return all;
	};
	const writable = /* @__PURE__ */ new Map();
	const isWritable = (key) => {
		const known = writable.get(key);
		if (known !== void 0) return known;
		if (writable.size > 1e3) writable.clear();
		const is = /^[^\s"'<>/=]+$/.test(key);
		writable.set(key, is);
		return is;
	};
	const traitsOf = /* @__PURE__ */ new Map();
	const traits = (el) => {
		const name = el.localName;
		const known = traitsOf.get(name);
		if (known) return known;
		const tag = isFrame(el) || name === "frameset" ? "div" : name;
		const t = {
			dropped: DROPPED.has(name),
			heavy: HEAVY.has(name),
			kept: KEPT_UNRENDERED.has(name) || name === "slot",
			isVoid: VOID$1.has(name),
			isLine: !isInlineTag(el),
			isFrame: isFrame(el),
			tag,
			end: `</${tag}>`
		};
		if (traitsOf.size > 1e3) traitsOf.clear();
		traitsOf.set(name, t);
		return t;
	};
	const NOTES = /* @__PURE__ */ new Set([
		"data-id",
		"data-llm-id",
		"data-interactive",
		"data-visible",
		"data-frame-id"
	]);
	const attribute = (el, key, value, full, noted) => {
		if (noted && NOTES.has(key)) return "";
		if (!full && (key === "style" || key.startsWith("on") || value.length > 300 && key !== "value")) return "";
		if (key === "aria-modal" && el === covering) return "";
		if (key === "srcdoc") return "";
		if ((key === "data-id" || key === "id") && looksOurs(value)) return "";
		if (!isWritable(key)) return "";
		return value === "" ? ` ${key}` : ` ${key}="${escapeAttribute(value)}"`;
	};
	const openTag = (el, name, full, hidden, notes) => {
		let out = `<${name}`;
		if (el === covering) out += " aria-modal=\"true\"";
		if (el.localName === "input" || el.localName === "option") for (const [key, value] of liveAttributes(el)) out += attribute(el, key, value, full, notes !== null);
		else if (el.hasAttributes()) for (const key of el.getAttributeNames()) out += attribute(el, key, el.getAttribute(key) ?? "", full, notes !== null);
		return `${out}${notes ?? ""}${hidden && !el.hasAttribute("hidden") ? " hidden" : ""}>`;
	};
	const placeOf = (token) => token ? `<div data-stepledger-frame="${escapeAttribute(token)}"></div>` : "";
	const open = (next, slotted, end, isLine) => ({
		next,
		slotted,
		at: 0,
		end,
		isLine
	});
	const step = (o) => {
		if (o.slotted) return o.slotted[o.at++] ?? null;
		const node = o.next;
		if (node) o.next = node.nextSibling;
		return node;
	};
	const childrenOf = (el, end, isLine) => {
		const shadow = shadowOf(el);
		if (shadow) return open(shadow.firstChild, null, end, isLine);
		const assigned = el.localName === "slot" ? el.assignedNodes() : [];
		return assigned.length ? open(null, assigned, end, isLine) : open(el.firstChild, null, end, isLine);
	};
	const EACH$1 = 64;
	const textAt = (node, end) => {
		let found = node;
		while (found && !isText(found)) found = found === node ? node[end] : end === "firstChild" ? found.nextSibling : found.previousSibling;
		return found ?? node;
	};
	const writer = ({ full, limit, tokens, notes }) => {
		const parts = [];
		let length = 0;
		let space = false;
		let last = null;
		const put = (text) => {
			if (text === "") return;
			parts.push(text);
			length += text.length;
		};
		const writeText = (node, data) => {
			const text = full ? data : data.replace(/\s+/g, " ");
			if (text === "" || text === " " && space) return;
			if (last && !/^\s/.test(text)) put(between(textAt(last, "lastChild"), textAt(node, "firstChild")).replace("\n", "<br>"));
			put(escapeText(text).slice(0, limit - length));
			space = text.endsWith(" ");
			last = /\s$/.test(text) ? null : node;
		};
		const writeElement = (el) => {
			if (isOwn(el)) return null;
			const { dropped, heavy, kept, isVoid, isLine, isFrame: isAFrame, tag, end } = traits(el);
			if (dropped || !full && heavy) return null;
			const hidden = !kept && !el.checkVisibility();
			if (hidden && !full && styleOf(el).display !== "contents") return null;
			const gone = hidden && styleOf(el).display === "none";
			const said = notes ? notes(el, hidden) : null;
			if (notes && said === null) return null;
			if (isLine) last = null;
			put(openTag(el, tag, full, gone, said));
			space = false;
			if (isVoid) return null;
			if (secretFields.has(el)) return open(null, null, end, isLine);
			if (tag === "textarea") {
				put(escapeText(textIn(el)));
				return open(null, null, end, isLine);
			}
			if (!isAFrame) {
				if (el.firstElementChild || shadowOf(el) || tag === "slot") return childrenOf(el, end, isLine);
				writeText(el, el.textContent ?? "");
				if (isLine) last = null;
				put(end);
				space = false;
				return null;
			}
			const inner = documentOf(el);
			if (!inner && isUnreached(el)) put(placeOf(tokenOf(el, tokens)));
			return open(null, inner?.body ? [inner.body] : null, end, isLine);
		};
		const close = (o) => {
			if (o.isLine) last = null;
			put(o.end);
			space = false;
		};
		return {
			put,
			writeText,
			writeElement,
			close,
			isFull: () => length >= limit,
			text: () => parts.join("").toWellFormed()
		};
	};
	function* html(options) {
		const w = writer(options);
		const isTop = numberOfRoot() === 0;
		if (isTop) w.put("<!doctype html>");
		const stack = [open(null, [isTop ? document.documentElement : document.body ?? document.documentElement], "", false)];
		for (let n = 1; stack.length > 0; n++) {
			if (n % EACH$1 === 0) yield;
			const top = stack[stack.length - 1];
			const node = w.isFull() ? null : step(top);
			if (node === null) {
				w.close(top);
				stack.pop();
			} else if (isText(node)) w.writeText(node, node.data);
			else if (isElement(node)) {
				const inside = w.writeElement(node);
				if (inside) stack.push(inside);
			}
		}
		return w.text();
	}

// page/slices.ts
	const SLICE = 40;
	const RESTARTS = 3;
	const atOnce = (steps) => {
		for (;;) {
			const step = steps.next();
			if (step.done) return step.value;
		}
	};
	const channel = new MessageChannel();
	const waiting = [];
	channel.port1.onmessage = () => waiting.shift()?.();
	const nextTurn = () => new Promise((resume) => {
		waiting.push(resume);
		channel.port2.postMessage(0);
	});
	let last$1 = Promise.resolve();
	const inSlices = (work, changes) => {
		const run = last$1.then(() => slice(work, changes));
		last$1 = run.catch(() => void 0);
		return run;
	};
	const slice = async (work, changes) => {
		let end = performance.now() + SLICE;
		for (let restarts = 0;; restarts++) {
			const before = changes();
			const steps = work();
			for (;;) {
				const step = steps.next();
				if (step.done) return step.value;
				if (performance.now() < end) continue;
				await nextTurn();
				end = performance.now() + SLICE;
				if (restarts < RESTARTS && changes() !== before) break;
			}
		}
	};

// page/witness.ts
	const MESSAGE = "[role=alert],[role=status],[role=alertdialog],[aria-live=polite],[aria-live=assertive],[class*=toast i],[class*=snackbar i],[class*=notification i],[class*=alert i],[class*=error i]";
	const AMBIENT = "time,progress,meter,marquee,[role=timer],[role=marquee],[role=progressbar],[aria-live=off]";
	const SILENT = "script,style,link,meta,template,noscript";
	const WRONG = /\b(errors?|invalid|fail(ed|ure)?|required|denied|wrong|unable|cannot|can't|could not|must|missing|not (found|valid|allowed|saved))\b/i;
	const RIGHT = /\b(success(ful|fully)?|saved|added|created|updated|deleted|removed|archived|sent|submitted|completed?|done|thank you)\b/i;
	const messageKind = (text, isAlert) => {
		if (WRONG.test(text)) return "error";
		if (RIGHT.test(text)) return "success";
		return isAlert && document.querySelector("[aria-invalid=true]") ? "error" : "info";
	};
	const since = {
		added: 0,
		removed: 0,
		mutations: 0,
		direct: 0
	};
	const ticks = /* @__PURE__ */ new WeakMap();
	const idleTicks = /* @__PURE__ */ new WeakMap();
	const said = /* @__PURE__ */ new Map();
	let acting = false;
	let lastChange = performance.now();
	let logFrom = 1e400;
	const log = (kind, text) => {
		const t = clean(text, 160);
		const now = performance.now();
		if (!t || now - (said.get(kind + t) ?? -1e400) < 1e3) return;
		if (said.size > 200) said.clear();
		said.set(kind + t, now);
		globalThis.stepledgerSaid?.(JSON.stringify({
			kind,
			text: t
		}));
	};
	const bump = (map, el) => {
		const n = (map.get(el) ?? 0) + 1;
		map.set(el, n);
		return n;
	};
	const logMessage = (el) => {
		if (visible(el)) log(messageKind(el.textContent ?? "", el.matches("[role=alert],[role=alertdialog]")), el.innerText);
	};
	const logAdded = (node, parent) => {
		const message = parent.closest(MESSAGE);
		if (message) return logMessage(message);
		if (isElement(node)) {
			const inner = node.matches(MESSAGE) ? [node] : [...node.querySelectorAll(MESSAGE)].slice(0, 5);
			if (inner.length) return inner.forEach(logMessage);
			if (performance.now() >= logFrom && visible(node)) log("added", node.innerText);
		} else if (performance.now() >= logFrom && visible(parent)) log("added", node.data);
	};
	const logRemoved = (node) => {
		if (isElement(node) && node.matches(`${MESSAGE},${INTERACTIVE}`)) log("removed", node.textContent);
	};
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
		"focusin",
		"pointerover"
	];
	let handling = 0;
	const handle = () => {
		take(observer.takeRecords());
		clearTimeout(handling);
		handling = setTimeout(() => handling = 0, 30);
	};
	const isNothing = (record, nodes) => {
		if (record.type === "attributes") {
			const name = record.attributeName ?? "";
			return name === "data-llm-id" || record.target.getAttribute(name) === record.oldValue;
		}
		if (record.type === "characterData") return record.target.data === record.oldValue;
		return nodes.every((n) => isOwn(n) || (isElement(n) ? n.matches(SILENT) : n.nodeType !== 3));
	};
	const notice = (record) => {
		rememberSecret(record);
		const el = isElement(record.target) ? record.target : record.target.parentElement ?? document.documentElement;
		const nodes = [...record.addedNodes, ...record.removedNodes];
		if (!el || el.closest(AMBIENT) || isNothing(record, nodes)) return;
		const changed = nodes.filter((n) => isElement(n) && !n.matches(SILENT));
		if (changed.length === 0) {
			if (!acting && performance.now() >= logFrom) bump(idleTicks, el);
			if (bump(ticks, el) < 4) lastChange = performance.now();
			if ((idleTicks.get(el) ?? 0) >= 2) return;
		} else lastChange = performance.now();
		since.mutations++;
		if (handling) since.direct++;
		for (const n of record.addedNodes) if (changed.includes(n)) since.added++;
		for (const n of record.removedNodes) if (changed.includes(n)) since.removed++;
		if (record.type === "attributes" || record.type === "characterData") {
			const message = el.closest(MESSAGE);
			if (message) logMessage(message);
			return;
		}
		for (const n of [...record.addedNodes].slice(0, 20)) logAdded(n, el);
		for (const n of [...record.removedNodes].slice(0, 20)) logRemoved(n);
	};
	let changed = 0;
	const take = (records) => {
		for (const r of records) if (r.attributeName !== "data-llm-id" && ![...r.addedNodes, ...r.removedNodes].some(isOwn)) changed++;
		records.forEach(notice);
	};
	const changes = () => {
		take(observer.takeRecords());
		return changed;
	};
	const observer = new MutationObserver(take);
	const observed = /* @__PURE__ */ new WeakSet();
	const documents = /* @__PURE__ */ new Set();
	const observe = (root) => {
		if (observed.has(root)) return;
		observed.add(root);
		if (isDocument(root)) {
			documents.add(root);
			hearChildren(root);
			EVENTS.forEach((e) => root.addEventListener(e, handle, {
				capture: true,
				passive: true
			}));
		}
		watchTouches(root);
		observer.observe(root, {
			childList: true,
			subtree: true,
			attributes: true,
			attributeOldValue: true,
			characterData: true,
			characterDataOldValue: true
		});
	};
	const watchRoots = (roots) => roots.forEach(observe);
	const observeEverything = () => watchRoots(scanPage().roots);
	const watch = () => {
		observe(document);
		const loaded = () => {
			logFrom = performance.now() + 100;
			observeEverything();
		};
		if (document.readyState === "complete") loaded();
		else addEventListener("load", loaded);
	};
	const CHOICE = "[role=menuitem],[role=menuitemcheckbox],[role=menuitemradio],[role=option],[role=treeitem],[role=menu] a,[role=listbox] li";
	const choices = () => {
		const texts = [];
		for (const el of scanPage().elements) if (el.matches(CHOICE) && visible(el)) texts.push(clean(el.innerText));
		return [...new Set(texts)].filter(Boolean).slice(0, 50);
	};
	const appearanceOf = (el) => {
		if (!el) return null;
		let face = el.outerHTML + (shadowOf(el)?.innerHTML ?? "");
		for (let n = parentOf(el); n; n = parentOf(n)) if (isElement(n)) face += "\n" + n.cloneNode(false).outerHTML;
		return face.replaceAll(OWN, "").replaceAll(POINTED, "").replaceAll(" class=\"\"", "");
	};
	const OWN = new RegExp(` ${ID}="[^"]*"`, "g");
	const POINTED = / ?[\w-]*(focus|hover|ripple|touch)[\w-]*/gi;
	let target$1 = null;
	let face = null;
	const armed = /* @__PURE__ */ new Set();
	const MOST_ARMED = 100;
	const documentName = crypto.getRandomValues(/* @__PURE__ */ new Uint32Array(4)).join("-");
	const arm = (id, token = "") => {
		observeEverything();
		take(observer.takeRecords());
		Object.assign(since, {
			added: 0,
			removed: 0,
			mutations: 0,
			direct: 0
		});
		acting = true;
		target$1 = resolve(id);
		face = appearanceOf(target$1);
		const again = armed.has(token);
		if (token) armed.add(token);
		if (armed.size > MOST_ARMED) armed.delete([...armed][0]);
		return {
			document: documentName,
			token,
			again,
			choices: choices()
		};
	};
	const disarm = () => {
		take(observer.takeRecords());
		acting = false;
		const inPage = (el) => el.isConnected && el.ownerDocument.defaultView !== null;
		const touched = target$1 && inPage(target$1) ? appearanceOf(target$1) !== face : null;
		const replaced = target$1 !== null && target$1.ownerDocument.defaultView === null;
		return {
			document: documentName,
			choices: choices(),
			touched,
			...since,
			direct: replaced ? null : since.direct
		};
	};
	const scheduledIn = (doc) => {
		let n = 0;
		const take = (e) => n = Number(e.detail) || 0;
		doc.addEventListener("stepledger:scheduled", take);
		doc.dispatchEvent(new Event("stepledger:scheduled?"));
		doc.removeEventListener("stepledger:scheduled", take);
		return n;
	};
	const quiet = () => {
		take(observer.takeRecords());
		let scheduled = 0;
		for (const doc of documents) if (doc.defaultView) scheduled += scheduledIn(doc);
		else documents.delete(doc);
		return {
			ms: performance.now() - lastChange,
			ready: document.readyState === "complete",
			scheduled
		};
	};

// page/unchanged.ts
	const QUIET = [
		"scroll",
		"input",
		"change",
		"focusin",
		"focusout",
		"pointerover",
		"load",
		"error",
		"toggle",
		"transitionrun",
		"transitionend",
		"animationstart",
		"animationend"
	];
	let touches = 0;
	const touch = () => {
		touches++;
	};
	const watchTouches = (root) => QUIET.forEach((name) => root.addEventListener(name, touch, {
		capture: true,
		passive: true
	}));
	addEventListener("resize", touch, true);
	const contentOf = (el) => `${textIn(el)} ${el.checked} ${el.localName === "select" ? [...el.selectedOptions ?? []].map((o) => o.index).join() : ""}`;
	const sizeOf = () => {
		const page = pageBox();
		return [
			innerWidth,
			innerHeight,
			page?.scrollWidth,
			page?.scrollHeight,
			page?.scrollLeft,
			page?.scrollTop
		].join();
	};
	let last = null;
	let boxes = [];
	let lastHash = "";
	const lookNow = (fields) => ({
		changes: changes(),
		touches,
		url: location.href,
		size: sizeOf(),
		fields: fields.map((el) => [new WeakRef(el), contentOf(el)])
	});
	const keepLook = (look, scrolling, hash) => {
		last = look;
		boxes = scrolling.map((el) => [new WeakRef(el), el.scrollTop]);
		lastHash = hash;
	};
	const isMoving = () => document.getAnimations().some((a) => a.playState === "running");
	const hashIfUnchanged = () => {
		if (!last || last.changes !== changes() || last.touches !== touches || last.url !== location.href || last.size !== sizeOf() || isMoving()) return "";
		for (const [ref, top] of boxes) if (ref.deref()?.scrollTop !== top) return "";
		for (const [ref, content] of last.fields) {
			const el = ref.deref();
			if (!el || contentOf(el) !== content) return "";
		}
		return lastHash;
	};
	const hashOf = (...texts) => {
		let a = 0xdeadbeef;
		let b = 0x41c6ce57;
		for (const text of texts) {
			for (let i = 0; i < text.length; i++) {
				const c = text.charCodeAt(i);
				a = Math.imul(a ^ c, 0x9e3779b1);
				b = Math.imul(b ^ c, 0x5f356495);
			}
			a = Math.imul(a ^ 65536, 0x9e3779b1);
		}
		a = Math.imul(a ^ a >>> 16, 0x85ebca6b) ^ Math.imul(b ^ b >>> 13, 0xc2b2ae35);
		b = Math.imul(b ^ b >>> 16, 0x85ebca6b) ^ Math.imul(a ^ a >>> 13, 0xc2b2ae35);
		return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, "0");
	};

// page/capture.ts
	const scrolled = (el) => el === null ? {
		depth: "0%",
		h: false
	} : {
		depth: `${Math.round(100 * el.scrollTop / Math.max(1, el.scrollHeight - el.clientHeight))}%`,
		h: el.scrollTop + el.clientHeight < el.scrollHeight - 1
	};
	const isScrollable = (el, overflow = styleOf(el).overflowY) => ["auto", "scroll"].includes(overflow) && el !== document.scrollingElement && el !== document.body && el.clientHeight > 50 && el.scrollHeight > el.clientHeight + 50;
	const knownID = (el) => ids.get(el) ?? "";
	const nodeOf = (el, frame, shown, scrollable, offset, name) => {
		const o = offsetOf(shown);
		const r = rectOf(shown);
		const [left, top] = [r.left + o.x, r.top + o.y];
		const box = [
			left + offset.x,
			top + offset.y,
			r.width,
			r.height
		].map(Math.round);
		const onScreen = left < innerWidth && top < innerHeight && left + r.width > 0 && top + r.height > 0;
		const away = !scrollable && isOutOfView(shown, onScreen ? void 0 : isPageLike);
		return {
			id: name(el, frame),
			frame,
			role: roleOf(el),
			name: scrollable ? regionName(el) : nameOf(el),
			value: valueOf(el),
			state: away ? [...stateOf(el), "out-of-view"] : stateOf(el),
			box,
			ownName: isRow(el),
			occluded: !scrollable && !away && isCovered(shown),
			scroll: scrollable ? scrolled(el) : null
		};
	};
	const REDRAWN = "input[type=checkbox],input[type=radio],input[type=file]";
	const isFar = (el) => {
		const r = rectOf(el);
		const top = r.top + offsetOf(el).y;
		return top > 2 * innerHeight || top + r.height < -innerHeight;
	};
	const EACH = 64;
	function* list(scan, everywhere) {
		const found = [];
		for (const el of selectAll(scan, `[${ID}]`)) if (el.getAttribute("data-llm-id") !== ids.get(el)) el.removeAttribute(ID);
		const controls = new Set(selectAll(scan, INTERACTIVE));
		keepHands(true);
		keepHandled(scan);
		for (let i = 0; i < scan.elements.length; i++) {
			if (i % EACH === 0) yield;
			const el = scan.elements[i];
			const control = controls.has(el);
			if (control && !everywhere && !el.matches(REDRAWN) && isFar(el)) continue;
			const style = styleOf(el);
			noteHand(el, style.cursor);
			const scrollable = isScrollable(el, style.overflowY);
			if (!control && !scrollable && !looksClickable(el)) continue;
			const shown = clickableLabel(el);
			if (!shown) continue;
			const far = isFar(shown);
			if (!far || everywhere) found.push({
				el,
				frame: scan.frames[i],
				shown,
				scrolls: scrollable && !control,
				far
			});
		}
		keepHands(false);
		keepHandled(null);
		return found;
	}
	function* treeOf(listed, offset, name = identify) {
		const nodes = [];
		for (const { el, frame, shown, scrolls, far } of listed) {
			yield;
			if (far) name(el, frame);
			else nodes.push(nodeOf(el, frame, shown, scrolls, offset, name));
		}
		return nodes;
	}
	const tree = () => atOnce(treeOf(atOnce(list(scanPage(), false)), {
		x: 0,
		y: 0
	}));
	const ALERTS = "[role=alert],[role=alertdialog]";
	const messages = (scan) => {
		const found = {
			errors: [],
			successes: []
		};
		for (const el of selectAll(scan, `[role=status],${ALERTS}`)) {
			if (!visible(el)) continue;
			const text = clean(el.innerText, 160);
			const kind = text && messageKind(text, el.matches(ALERTS));
			if (kind === "error") found.errors.push(text);
			if (kind === "success") found.successes.push(text);
		}
		return found;
	};
	const innermostFocus = () => {
		let el = document.activeElement;
		for (;;) {
			const inner = (el && shadowOf(el)?.activeElement) ?? (el && isFrame(el) ? documentOf(el)?.activeElement : null);
			if (!inner) return el;
			el = inner;
		}
	};
	const focusedElement = () => {
		const el = innermostFocus();
		if (el === null || ["html", "body"].includes(el.localName)) return null;
		if (isUnreached(el) ? tokenOf(el) !== "" : numberOfRoot() !== 0 && !document.hasFocus()) return null;
		return el;
	};
	const focusedFrame = (asked) => {
		const el = innermostFocus();
		return el && isUnreached(el) ? tokenOf(el, asked) : "";
	};
	const focusNode = (el, offset, name) => {
		const frame = el.ownerDocument.defaultView?.frameElement;
		const node = nodeOf(el, frame ? frameNumber(frame) : numberOfRoot(), el, false, offset, name);
		const called = isInteractive(el) ? clean(node.name, 60) : regionName(el);
		return {
			...node,
			name: called,
			state: [...node.state, "hidden"],
			occluded: false,
			ownName: true
		};
	};
	function* noteSecrets(scan) {
		for (const el of selectAll(scan, MAY_HOLD_SECRETS)) {
			yield;
			if (takesText(el)) isSecret(el);
		}
	}
	function* begin({ start, startFrame, frame }) {
		numberFrom(start, startFrame, frame);
		const scan = scanPage();
		watchRoots(scan.roots);
		yield* noteSecrets(scan);
		return scan;
	}
	const FIELDS = "input,textarea,select";
	function* capturing(options, isLook = false) {
		const { offset = {
			x: 0,
			y: 0
		}, full } = options;
		const scan = yield* begin(options);
		const look = lookNow(selectAll(scan, FIELDS));
		const listed = yield* list(scan, full);
		const nodes = yield* treeOf(listed, offset, isLook ? knownID : identify);
		noteCover(nodes);
		const focus = focusedElement();
		if (focus && !nodes.some((n) => n.id === ids.get(focus))) nodes.push(focusNode(focus, offset, isLook ? knownID : identify));
		if (!isLook) remember(nodes);
		const containers = nodes.filter((n) => n.scroll).map((n) => ({
			id: n.id,
			depth: n.scroll?.depth,
			hasMore: n.scroll?.h
		}));
		const raw = {
			url: removeSecrets(location.href),
			title: clean(document.title, 300),
			nodes,
			containers,
			...messages(scan),
			frames: framesHere(scan, offset, options.tokens),
			lastID: lastNumber(),
			lastFrame: lastFrameNumber(),
			width: innerWidth,
			height: innerHeight,
			scroll: scrolled(pageBox()).depth,
			focused: (focus && ids.get(focus)) ?? "",
			html: yield* html(options),
			zone: Intl.DateTimeFormat().resolvedOptions().timeZone
		};
		const hash = hashOf(...lasting(raw));
		keepLook(look, listed.filter((l) => l.scrolls).map((l) => l.el), hash);
		return {
			...raw,
			hash
		};
	}
	const lasting = ({ html: text, frames, lastID: _id, lastFrame: _frame, ...rest }) => {
		const places = frames.map((f) => ({
			...f,
			token: ""
		}));
		return [frames.reduce((all, f) => all.replaceAll(f.token, String(f.frame)), text), JSON.stringify([places, rest])];
	};
	let asked = {
		start: 0,
		full: false,
		limit: 1e400
	};
	const lastOptions = () => asked;
	const capture = (options) => {
		asked = options;
		return inSlices(() => capturing(options), changes);
	};
	const hash = async () => hashIfUnchanged() || (await inSlices(() => capturing(asked, true), changes)).hash;
	const elementsOf = (...list) => list.map(resolve);
	const look = (start) => {
		numberFrom(start);
		const nodes = tree();
		return {
			url: location.href,
			lastID: lastNumber(),
			nodes
		};
	};

// page/field.ts
	const DIRECT = /* @__PURE__ */ new Set([
		"date",
		"time",
		"month",
		"week",
		"datetime-local",
		"color",
		"range"
	]);
	const KEYED = /* @__PURE__ */ new Set([
		"textbox",
		"searchbox",
		"spinbutton"
	]);
	const hearsKeys = (el) => KEYED.has(roleOf(el)) && ((el.tabIndex ?? -1) >= 0 || el.hasAttribute("tabindex"));
	const kindOf = (el) => {
		if (el.localName === "select") return "select";
		if (el.localName === "input" && ["checkbox", "radio"].includes(el.type ?? "")) return "check";
		if ([
			"checkbox",
			"radio",
			"switch",
			"menuitemcheckbox",
			"menuitemradio"
		].includes(roleOf(el))) return "check";
		if (el.localName === "input" && DIRECT.has(el.type ?? "")) return "direct";
		if (hasTextValue(el)) return "text";
		if (el.isContentEditable) return "text";
		return hearsKeys(el) ? "keys" : "";
	};
	const onScreen = (el) => {
		const r = rectOf(el);
		const o = offsetOf(el);
		return r.top + o.y >= 0 && r.left + o.x >= 0 && r.bottom + o.y <= innerHeight && r.right + o.x <= innerWidth;
	};
	const locate = (id) => {
		const el = resolve(id);
		if (!el) return { found: false };
		const shown = clickableLabel(el);
		const about = {
			...same(id),
			visible: shown !== null,
			disabled: isDisabled(el),
			kind: kindOf(el),
			onHover: onHover(el),
			checked: checkedOf(el),
			secret: isSecret(el),
			readonly: el.readOnly === true || el.getAttribute("aria-readonly") === "true"
		};
		if (!shown) return about;
		if (!onScreen(shown) || !clickPoint(shown)) bringIntoView(shown);
		const point = clickPoint(shown);
		if (point) return {
			...about,
			hit: true,
			...point
		};
		const r = rectOf(shown);
		const o = offsetOf(shown);
		const top = topAt(o.x + r.left + r.width / 2, o.y + r.top + r.height / 2);
		return {
			...about,
			hit: false,
			cover: top ? `${roleOf(top)} ${JSON.stringify(clean(top.innerText ?? "", 60))}` : ""
		};
	};
	const tell = (el, ...names) => names.forEach((n) => el.dispatchEvent(new Event(n, {
		bubbles: true,
		composed: true
	})));
	const focusAll = (id) => {
		const el = resolve(id);
		if (!el) return false;
		el.focus?.({ preventScroll: true });
		if (el.select) el.select();
		else if (kindOf(el) !== "keys") el.ownerDocument.getSelection()?.selectAllChildren(el);
		return hasFocus(el);
	};
	const hasFocus = (el) => {
		const focus = innermostFocus();
		return within(focus, el) || focus?.isContentEditable === true && within(el, focus);
	};
	const typed = (id) => {
		const el = resolve(id);
		if (!el) return {
			found: false,
			value: ""
		};
		tell(el, "change");
		return {
			found: true,
			value: el.value ?? el.innerText ?? ""
		};
	};
	const setDirect = (id, value) => {
		const el = resolve(id);
		if (!el) return {
			found: false,
			value: ""
		};
		el.focus?.({ preventScroll: true });
		el.value = value;
		tell(el, "input", "change");
		return {
			found: true,
			value: el.value
		};
	};
	const chooseSeveral = (el, wanted) => {
		const all = [...el.options].filter((o) => !o.disabled);
		const meant = wanted.map((text) => all.find((o) => clean(o.label, 300) === clean(text, 300))).filter((o) => o !== void 0);
		if (meant.length < wanted.length) return {
			found: true,
			chosen: "",
			options: all.slice(0, 30).map((o) => clean(o.label))
		};
		el.focus?.({ preventScroll: true });
		for (const o of el.options) o.selected = meant.includes(o);
		tell(el, "input", "change");
		return {
			found: true,
			chosen: meant.map((o) => clean(o.label)).join(", ")
		};
	};
	const focusTakesText = () => {
		const el = innermostFocus();
		return el !== null && (kindOf(el) === "text" || el.isContentEditable) && !el.readOnly;
	};
	const inView = (id) => {
		const el = resolve(id);
		const point = el && clickPoint(clickableLabel(el) ?? el);
		return point ? {
			found: true,
			hit: true,
			...point
		} : {
			found: !!el,
			hit: false
		};
	};
	const choose = (id, wanted) => {
		const el = resolve(id);
		if (!el) return {
			found: false,
			chosen: ""
		};
		if (el.multiple && wanted.includes("\n")) return chooseSeveral(el, wanted.split("\n"));
		const want = clean(wanted, 300).toLowerCase();
		const options = [...el.options].filter((o) => !o.disabled && !o.parentElement.disabled);
		const fits = [
			(o) => clean(o.label, 300) === clean(wanted, 300),
			(o) => o.value === wanted,
			(o) => clean(o.label, 300).toLowerCase() === want,
			(o) => o.value.toLowerCase() === want,
			(o) => want !== "" && clean(o.label, 300).toLowerCase().startsWith(want),
			(o) => want !== "" && clean(o.label, 300).toLowerCase().includes(want)
		].map((t) => options.filter(t)).find((some) => some.length > 0) ?? [];
		if (fits.length === 0 || fits.length > 1 && clean(fits[0].label) !== clean(fits[1].label)) return {
			found: true,
			chosen: "",
			options: options.slice(0, 30).map((o) => clean(o.label))
		};
		el.focus?.({ preventScroll: true });
		if (el.multiple) fits[0].selected = true;
		else el.value = fits[0].value;
		if (!el.multiple) fits[0].selected = true;
		tell(el, "input", "change");
		return {
			found: true,
			chosen: clean(fits[0].label)
		};
	};
	const scroll = (id, direction) => {
		const el = id === "" ? pageBox() : resolve(id);
		if (!el) return {
			found: false,
			moved: false
		};
		if (id !== "" && direction === "" && !isScrollable(el)) {
			el.scrollIntoView({
				block: "center",
				inline: "nearest",
				behavior: "instant"
			});
			return {
				found: true,
				moved: true
			};
		}
		const before = el.scrollTop;
		el.scrollBy({
			top: (direction === "up" ? -.8 : .8) * el.clientHeight,
			behavior: "instant"
		});
		return {
			found: true,
			moved: el.scrollTop !== before
		};
	};

// page/highlight.ts
	let host = null;
	let box = null;
	let target = null;
	const highlight = (id) => {
		target = id === "" ? null : resolve(id);
		if (!target) {
			clear();
			return false;
		}
		show();
		place();
		return true;
	};
	const STYLE = {
		position: "fixed",
		inset: "auto",
		margin: "0",
		padding: "0",
		background: "transparent",
		"pointer-events": "none",
		"box-sizing": "border-box",
		border: "3px solid #1d4ed8",
		"border-radius": "6px",
		outline: "2px solid #ffffff",
		overflow: "visible"
	};
	const show = () => {
		if (host?.isConnected) return;
		clear();
		host = document.createElement("stepledger-outline");
		host.setAttribute("aria-hidden", "true");
		disown(host);
		box = document.createElement("div");
		box.popover = "manual";
		for (const [name, value] of Object.entries(STYLE)) box.style.setProperty(name, value, "important");
		host.attachShadow({ mode: "closed" }).append(box);
		document.documentElement.append(host);
		box.showPopover();
		addEventListener("scroll", place, {
			capture: true,
			passive: true
		});
		addEventListener("resize", place);
	};
	const clear = () => {
		host?.remove();
		host = box = null;
		removeEventListener("scroll", place, { capture: true });
		removeEventListener("resize", place);
	};
	const place = () => {
		if (!target?.isConnected || !box) return clear();
		const o = offsetOf(target);
		const r = rectOf(target);
		const around = 4;
		const at = {
			left: r.left + o.x - around,
			top: r.top + o.y - around,
			width: r.width + 8,
			height: r.height + 8
		};
		for (const [name, value] of Object.entries(at)) box.style.setProperty(name, `${value}px`, "important");
	};

// page/templatize.ts
	const VOID = /* @__PURE__ */ new Set([
		"area",
		"base",
		"br",
		"col",
		"embed",
		"hr",
		"img",
		"input",
		"link",
		"meta",
		"source",
		"track",
		"wbr"
	]);
	const TAG = /<!--[\s\S]*?-->|<![^>]*>|<(\/?)([a-zA-Z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/g;
	const constant = (text) => ({
		text,
		isHole: false
	});
	const piecesOf = (tag) => {
		const pieces = [];
		let at = 0;
		for (const m of tag.matchAll(/="([^"]*)"/g)) {
			const from = m.index + 2;
			pieces.push(constant(tag.slice(at, from)), {
				text: m[1],
				isHole: true
			});
			at = from + m[1].length;
		}
		return [...pieces, constant(tag.slice(at))];
	};
	const textPart = (text) => ({
		open: [{
			text,
			isHole: text.trim() !== ""
		}],
		children: [],
		close: "",
		isElement: false,
		shape: 0
	});
	const rawPart = (text) => ({
		open: [constant(text)],
		children: [],
		close: "",
		isElement: false,
		shape: 0
	});
	const parse = (html) => {
		const root = {
			open: [],
			children: [],
			close: "",
			isElement: false,
			shape: 0
		};
		const stack = [{
			part: root,
			name: ""
		}];
		let at = 0;
		for (const m of html.matchAll(TAG)) {
			const top = stack[stack.length - 1];
			if (m.index > at) top.part.children.push(textPart(html.slice(at, m.index)));
			at = m.index + m[0].length;
			const [tag, slash, name] = m;
			if (name === void 0) top.part.children.push(rawPart(tag));
			else if (slash) {
				if (top.name !== name) return null;
				top.part.close = tag;
				stack.pop();
			} else {
				const part = {
					open: piecesOf(tag),
					children: [],
					close: "",
					isElement: true,
					shape: 0
				};
				top.part.children.push(part);
				if (!tag.endsWith("/>") && !VOID.has(name.toLowerCase())) stack.push({
					part,
					name
				});
			}
		}
		if (stack.length !== 1) return null;
		if (at < html.length) root.children.push(textPart(html.slice(at)));
		return root;
	};
	const shapeAll = (part, known) => {
		for (const child of part.children) shapeAll(child, known);
		const own = part.open.map((p) => p.isHole ? 0 : p.text);
		const key = JSON.stringify([
			own,
			part.children.map((c) => c.shape),
			part.close
		]);
		part.shape = known.get(key) ?? known.size + 1;
		known.set(key, part.shape);
	};
	const flat = (part, out = []) => {
		const put = (p) => {
			const last = out[out.length - 1];
			if (!p.isHole && last && !last.isHole) out[out.length - 1] = constant(last.text + p.text);
			else out.push(p);
		};
		part.open.forEach(put);
		for (const child of part.children) flat(child, out);
		put(constant(part.close));
		return out;
	};
	const FEWEST = 3;
	const SHORTEST = 40;
	const templatesOf = (root) => {
		const parts = /* @__PURE__ */ new Map();
		const collect = (part) => {
			const alike = parts.get(part.shape);
			if (alike) alike.push(part);
			else if (part.isElement) parts.set(part.shape, [part]);
			part.children.forEach(collect);
		};
		collect(root);
		const found = /* @__PURE__ */ new Map();
		for (const [shape, alike] of parts) {
			if (alike.length < FEWEST || !alike[0].isElement) continue;
			const all = alike.map((part) => flat(part));
			if (all[0].reduce((n, p) => n + p.text.length, 0) < SHORTEST) continue;
			const pieces = all[0].map((p, i) => ({
				text: p.text,
				isHole: p.isHole && all.some((other) => other[i].text !== p.text)
			}));
			if (pieces.some((p) => !p.isHole && /\{\{|<\/?template/i.test(p.text))) continue;
			found.set(shape, {
				pieces,
				uses: 0,
				saved: 0,
				name: ""
			});
		}
		return found;
	};
	const encode = (value) => value.replaceAll("&", "&amp;").replaceAll("\"", "&quot;");
	const write = (part, templates) => {
		const template = part.isElement ? templates.get(part.shape) : void 0;
		if (!template) return part.open.map((p) => p.text).join("") + part.children.map((c) => write(c, templates)).join("") + part.close;
		const whole = flat(part);
		const values = whole.filter((_, i) => template.pieces[i].isHole).map((p, i) => ` v${i + 1}="${encode(p.text)}"`).join("");
		const use = `<${template.name}${values}/>`;
		template.uses++;
		template.saved += whole.reduce((n, p) => n + p.text.length, 0) - use.length;
		return use;
	};
	const definition = (t) => {
		let holes = 0;
		return `<template id="${t.name}">${t.pieces.map((p) => p.isHole ? `{{${++holes}}}` : p.text).join("")}</template>`;
	};
	const header = (n, prefix) => `<!--templates ${n} ${prefix}-->`;
	const HEADER = /^<!--templates (\d+) ([a-z]+)-->/;
	const prefixFor = (html) => {
		let prefix = "t";
		while (html.includes(`<${prefix}`) && new RegExp(`<${prefix}\\d`).test(html)) prefix += "t";
		return prefix;
	};
	const templatize = (html) => {
		const same = HEADER.test(html) ? header(0, "t") + html : html;
		const root = parse(html);
		if (!root) return same;
		shapeAll(root, /* @__PURE__ */ new Map());
		const templates = templatesOf(root);
		const prefix = prefixFor(html);
		for (;;) {
			let n = 0;
			for (const t of templates.values()) Object.assign(t, {
				uses: 0,
				saved: 0,
				name: prefix + ++n
			});
			const body = write(root, templates);
			const used = [...templates].filter(([, t]) => t.uses > 0);
			const poor = [...templates].filter(([, t]) => t.uses === 0 || t.saved <= definition(t).length);
			if (poor.length === 0 && used.length === 0) return same;
			if (poor.length > 0) {
				for (const [shape] of poor) templates.delete(shape);
				continue;
			}
			const out = header(used.length, prefix) + used.map(([, t]) => definition(t)).join("") + body;
			return out.length < html.length ? out : same;
		}
	};

// page/modes.ts
	const optionsOf = (o) => ({
		...lastOptions(),
		full: true,
		limit: 1e400,
		...o
	});
	const numbers = () => ({
		lastID: lastNumber(),
		lastFrame: lastFrameNumber()
	});
	const hrefOf = (el) => el.localName === "a" || el.localName === "area" ? clean(removeSecrets(el.getAttribute("href") ?? ""), 300) : "";
	const semanticNode = ({ el, frame, shown }, { x, y }) => {
		const o = offsetOf(shown);
		const r = rectOf(shown);
		const bounds = {
			x: Math.round(r.left + o.x + x),
			y: Math.round(r.top + o.y + y),
			width: Math.round(r.width),
			height: Math.round(r.height)
		};
		const node = {
			id: identify(el, frame),
			role: roleOf(el),
			name: nameOf(el),
			bounds
		};
		const more = {
			value: valueOf(el),
			state: stateOf(el).join(","),
			type: el.localName === "input" ? el.type : "",
			placeholder: clean(el.getAttribute("placeholder")),
			href: hrefOf(el),
			isInShadow: inShadow(el) || void 0,
			frameId: frame || void 0
		};
		for (const [key, value] of Object.entries(more)) if (value) Object.assign(node, { [key]: value });
		return node;
	};
	function* semanticSteps(options) {
		const nodes = [];
		for (const l of yield* list(yield* begin(options), true)) {
			yield;
			if (!l.scrolls) nodes.push(semanticNode(l, options.offset ?? {
				x: 0,
				y: 0
			}));
		}
		return nodes;
	}
	const semantic = (options = {}) => inSlices(() => semanticSteps(optionsOf(options)), changes);
	const KEPT = [
		"name",
		"type",
		"href",
		"placeholder",
		"role",
		"aria-label",
		"title",
		"data-testid"
	];
	const FLAGS = [
		"disabled",
		"readonly",
		"checked",
		"selected"
	];
	const MOST_OPTIONS = 50;
	const attributesOf = (el) => {
		const out = KEPT.map((key) => [key, el.getAttribute(key)]).filter(([, value]) => value !== null && value !== "");
		if (el.localName === "input" && hasTextValue(el) && textIn(el) !== "" && !isSecret(el)) out.push(["value", textIn(el)]);
		if (el.localName === "option" || el.localName === "input" && !hasTextValue(el) && el.hasAttribute("value")) out.push(["value", el.getAttribute("value") ?? textIn(el)]);
		const on = {
			disabled: el.matches(":disabled"),
			readonly: el.readOnly,
			checked: el.checked,
			selected: el.selected
		};
		const flags = FLAGS.filter((key) => on[key]);
		if (isSecret(el)) flags.push(isFilledSecret(el) ? "data-filled" : "");
		return out.map(([key, value]) => ` ${key}="${escapeAttribute(value ?? "")}"`).join("") + flags.filter(Boolean).map((key) => ` ${key}`).join("");
	};
	const skeletonOf = ({ el, frame }) => {
		const tag = el.localName;
		const name = nameOf(el);
		let notes = [
			"a",
			"button",
			"input",
			"select",
			"textarea",
			"summary",
			"option"
		].includes(tag) || el.hasAttribute("role") ? "" : ` role="${escapeAttribute(roleOf(el))}"`;
		if (isField(el) && name && ![
			el.getAttribute("aria-label"),
			el.getAttribute("placeholder"),
			el.getAttribute("title")
		].some((text) => clean(text) === name)) notes += ` aria-label="${escapeAttribute(name)}"`;
		const start = `<${tag} id="${identify(el, frame)}"${attributesOf(el)}${notes}`;
		if (tag === "input") return `${start} />`;
		if (tag === "textarea") return `${start}>${isSecret(el) ? "" : escapeText(textIn(el))}</textarea>`;
		if (tag !== "select") return `${start}>${el.isContentEditable ? escapeText(valueOf(el)) : escapeText(name)}</${tag}>`;
		return `${start}>\n${[...el.options ?? []].slice(0, MOST_OPTIONS).map((o) => `  <option${attributesOf(o)}>${escapeText(clean(o.label))}</option>\n`).join("")}</select>`;
	};
	function* skeletonSteps(options) {
		const lines = [];
		let length = 0;
		for (const l of yield* list(yield* begin(options), true)) {
			yield;
			if (l.scrolls || l.el.localName === "option") continue;
			const line = skeletonOf(l);
			length += line.length + 1;
			if (length > options.limit) break;
			lines.push(line);
		}
		return lines.join("\n").toWellFormed();
	}
	const skeleton = (options = {}) => inSlices(() => skeletonSteps(optionsOf(options)), changes);
	function* annotatedSteps(options) {
		const scan = yield* begin(options);
		const frameOf = /* @__PURE__ */ new Map();
		for (const { el, frame, scrolls } of yield* list(scan, true)) {
			identify(el, frame);
			if (!scrolls) frameOf.set(el, frame);
		}
		const notes = (el, hidden) => {
			if (el.localName === "svg") return null;
			const frame = frameOf.get(el);
			const id = ids.get(el);
			if (id === void 0 || frame === void 0) return hidden ? " data-visible=\"false\"" : "";
			return ` data-id="${id}" data-interactive="true" data-visible="${!hidden}" data-frame-id="${frame || "main-frame"}"`;
		};
		const text = yield* html({
			...options,
			full: true,
			notes
		});
		return options.shrink ? templatize(text) : text;
	}
	const annotated = (options = {}) => inSlices(() => annotatedSteps({
		...optionsOf(options),
		shrink: options.shrink
	}), changes);

// page/special.ts
	const number = (el, name, otherwise) => {
		const value = parseFloat(el.getAttribute(name) ?? "");
		return Number.isNaN(value) ? otherwise : value;
	};
	const slider = (id) => {
		const el = resolve(id);
		if (!el || !el.hasAttribute("aria-valuenow")) return { found: false };
		const track = trackOf(el);
		const o = offsetOf(el);
		const [t, r] = [track.getBoundingClientRect(), el.getBoundingClientRect()];
		return {
			found: true,
			now: number(el, "aria-valuenow", 0),
			min: number(el, "aria-valuemin", 0),
			max: number(el, "aria-valuemax", 100),
			vertical: el.getAttribute("aria-orientation") === "vertical",
			x: o.x + r.left + r.width / 2,
			y: o.y + r.top + r.height / 2,
			left: o.x + t.left,
			top: o.y + t.top,
			width: t.width,
			height: t.height
		};
	};
	const trackOf = (el) => {
		const long = (e) => Math.max(e.getBoundingClientRect().width, e.getBoundingClientRect().height);
		const thumb = long(el);
		for (let box = el.parentElement, n = 0; thumb < 60 && box && n < 3; box = box.parentElement, n++) if (long(box) > 2 * thumb) return box;
		return el;
	};
	const codeBoxes = (id) => {
		const el = resolve(id);
		const isBox = (e) => e.localName === "input" && e.maxLength === 1 && visible(e);
		if (!el || !isBox(el)) return [];
		for (let box = el.parentElement, n = 0; box && n < 3; box = box.parentElement, n++) {
			const all = [...box.querySelectorAll("input")].filter(isBox);
			if (all.length >= 3) return all.slice(all.indexOf(el)).map((e) => ids.get(e) ?? "").filter(Boolean);
		}
		return [];
	};

// page/upload.ts
	const FILE = "input[type=file]";
	const AROUND = 2;
	const fileInput = (id) => {
		const el = resolve(id);
		if (!el) return null;
		const labelled = el.closest("label")?.control;
		const own = [
			el,
			el.control ?? null,
			labelled ?? null
		].find((e) => e?.matches(FILE));
		if (own) return own;
		for (let box = el, n = 0; box && box.localName !== "body" && n <= AROUND; box = box.parentElement, n++) {
			const inside = [...box.querySelectorAll(FILE)].filter((e) => !isDisabled(e));
			if (inside.length > 0) return inside.length === 1 ? inside[0] : null;
			if (box.localName === "form") return null;
		}
		return null;
	};

// page/index.ts
	const page = {
		hear,
		adopt,
		hello,
		frameAt,
		showFrame,
		focusedFrame,
		capture,
		hash,
		look,
		elementsOf,
		arm,
		disarm,
		quiet,
		locate,
		focusAll,
		typed,
		setDirect,
		choose,
		scroll,
		focusTakesText,
		inView,
		ghost,
		same,
		highlight,
		semantic,
		skeleton,
		annotated,
		numbers,
		fileInput,
		slider,
		codeBoxes
	};

// page/install.ts
	if (window.frameElement === null && !globalThis.stepledger) {
		globalThis.stepledger = page;
		watch();
	}

})();