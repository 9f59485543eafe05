package liveness

// Leave has locks asked for on another connection from now on, since the one there is leads
// to a server that takes no writes any more. The duties of this process end with it.
func (r *Registry) Leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	closeConn(r.ask)
	r.ask = nil
}
