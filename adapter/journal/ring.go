package journal

import (
	"slices"
	"sort"
)

const (
	firstSlots      = 16  // initial size of a ring, which doubles up to its limit
	maxCheckpoints  = 256 // when there are more, every other one is removed
	maxEvictedTypes = 16  // more different types in one ring count as any type
)

// ring holds the newest entries of one session and class (for output: of one stream), in rising seq order. The n-th
// entry ever added has ordinal n, counted from 0; the ring holds the ordinals evicted..evicted+n-1. Readers keep
// ordinals, so the number of missed entries is a subtraction.
type ring struct {
	session    string
	class      Class
	maxEntries int
	maxBytes   int // 0: no limit by bytes

	slots []Entry // circular; head is the oldest
	head  int
	n     int
	bytes int

	evicted      uint64 // number of evicted entries
	evictedSeq   uint64 // the seq of the last evicted entry
	evictedTypes []string
	dead         bool // forgotten: it stays empty

	// Sparse record of how many entries were evicted when, for queries about a seq that is no longer held.
	checkpoints []checkpoint
	stride      uint64 // a power of two
}

// checkpoint records that count entries with a seq up to seq were evicted.
type checkpoint struct {
	seq   uint64
	count uint64
}

// at returns the i-th oldest held entry.
func (r *ring) at(i int) *Entry {
	i += r.head
	if i >= len(r.slots) {
		i -= len(r.slots)
	}
	return &r.slots[i]
}

// total is the ordinal of the next entry.
func (r *ring) total() uint64 { return r.evicted + uint64(r.n) }

// push appends an entry and evicts what no longer fits. The newest entry always stays, whatever its size.
func (r *ring) push(e *Entry) {
	if r.n == r.maxEntries {
		r.evict()
	}
	for r.maxBytes > 0 && r.n > 0 && r.bytes+e.Size > r.maxBytes {
		r.evict()
	}
	if r.n == len(r.slots) {
		r.grow()
	}
	r.n++
	*r.at(r.n - 1) = *e
	r.bytes += e.Size
}

func (r *ring) grow() {
	size := min(max(firstSlots, 2*len(r.slots)), r.maxEntries)
	slots := make([]Entry, size)
	k := copy(slots, r.slots[r.head:])
	copy(slots[k:], r.slots[:r.head])
	r.slots, r.head = slots, 0
}

// evict removes the oldest entry and its references.
func (r *ring) evict() {
	e := r.at(0)
	r.bytes -= e.Size
	r.evicted++
	r.evictedSeq = e.Seq
	r.noteType(e.Type)
	r.noteCheckpoint()
	*e = Entry{}
	r.head++
	if r.head == len(r.slots) {
		r.head = 0
	}
	r.n--
}

// forget empties the ring for good. Readers count unread entries as evicted.
func (r *ring) forget() {
	for i := range r.n {
		r.noteType(r.at(i).Type)
	}
	if r.n > 0 {
		r.evictedSeq = r.at(r.n - 1).Seq
	}
	r.evicted = r.total()
	r.slots, r.head, r.n, r.bytes = nil, 0, 0, 0
	r.checkpoints = nil
	r.dead = true
}

func (r *ring) noteType(t string) {
	if len(r.evictedTypes) > maxEvictedTypes || slices.Contains(r.evictedTypes, t) {
		return
	}
	r.evictedTypes = append(r.evictedTypes, t)
}

// evictedAny reports whether an entry of one of the types may have been evicted; nil means any type.
func (r *ring) evictedAny(types []string) bool {
	if types == nil || len(r.evictedTypes) > maxEvictedTypes {
		return r.evicted > 0
	}
	for _, t := range r.evictedTypes {
		if slices.Contains(types, t) {
			return true
		}
	}
	return false
}

func (r *ring) noteCheckpoint() {
	if r.stride == 0 {
		r.stride = 1
	}
	if r.evicted&(r.stride-1) != 0 {
		return
	}
	if len(r.checkpoints) == maxCheckpoints {
		kept := r.checkpoints[:0]
		for i := 1; i < maxCheckpoints; i += 2 {
			kept = append(kept, r.checkpoints[i])
		}
		r.checkpoints = kept
		r.stride *= 2
		if r.evicted&(r.stride-1) != 0 {
			return
		}
	}
	r.checkpoints = append(r.checkpoints, checkpoint{seq: r.evictedSeq, count: r.evicted})
}

// evictedAfter returns the number of evicted entries with a seq above the given one. It is exact for 0, for a seq at
// a checkpoint, and where the ring's seqs are consecutive, as in a flood. Otherwise it is the smallest upper bound
// from the checkpoints.
func (r *ring) evictedAfter(seq uint64) uint64 {
	if seq >= r.evictedSeq {
		return 0
	}
	if seq == 0 {
		return r.evicted
	}
	i := sort.Search(len(r.checkpoints), func(i int) bool { return r.checkpoints[i].seq > seq })
	low, high := checkpoint{}, checkpoint{seq: r.evictedSeq, count: r.evicted}
	if i > 0 {
		low = r.checkpoints[i-1]
	}
	if i < len(r.checkpoints) {
		high = r.checkpoints[i]
	}
	return r.evicted - high.count + min(high.count-low.count, high.seq-seq)
}

// ordinalAfter returns the ordinal of the first entry with a seq above the given one, held or evicted.
func (r *ring) ordinalAfter(seq uint64) uint64 {
	if gone := r.evictedAfter(seq); gone > 0 {
		return r.evicted - gone
	}
	return r.evicted + uint64(sort.Search(r.n, func(i int) bool { return r.at(i).Seq > seq }))
}
