// A page whose task is made up from a seed, as far as the protocol goes.
var WOB_DONE_GLOBAL = false, WOB_RAW_REWARD_GLOBAL = 0, WOB_REWARD_REASON = null, WOB_TASK_READY = false;
Math.seedrandom = seed => { Math.random = () => (seed % 2) / 2; };
const core = {
	EPISODE_MAX_TIME: 100,
	canvasDrawClick() { document.getElementById("click-canvas").dataset.clicked = "yes"; },
	startEpisodeReal() {
		setTimeout(() => core.endEpisode(-1, "timed out"), core.EPISODE_MAX_TIME);
		setTimeout(() => { genProblem(); WOB_TASK_READY = true; }, 60);
	},
	getUtterance() { return document.getElementById("query").textContent.trim(); },
	endEpisode(reward, reason) {
		WOB_RAW_REWARD_GLOBAL = reward;
		WOB_REWARD_REASON = reason;
		WOB_DONE_GLOBAL = true;
		document.getElementById("reward-display").textContent = reward;
	},
};
document.body.addEventListener("click", core.canvasDrawClick);
