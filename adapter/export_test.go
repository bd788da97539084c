package adapter

import "context"

// TurnsOf returns how many turns of a session have not returned.
func TurnsOf(ctx context.Context, s *Session) (int, error) {
	return onLoop(ctx, s, func(done func(int, error)) { done(len(s.turns.list), nil) })
}
