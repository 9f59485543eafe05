package interact

// WaitingFor is how a wait is explained to the user.
var WaitingFor = waitingFor
