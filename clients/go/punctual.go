// Package punctual is a client of a Punctual server: messages that come back when they are due. Standard library only.
//
//	q := punctual.New("http://localhost:8420").Queue("mail")
//	_, err := q.Schedule(ctx, Mail{To: "ada"}, punctual.ID("mail-1"), punctual.In(10*time.Minute))
//	err = q.Work(ctx, func(ctx context.Context, d *punctual.Delivery) error { return send(ctx, d) }, punctual.Concurrency(16))
package punctual

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	version = "go-0.1.0"
	most    = 1000 // items of a request
	pieces  = 8    // requests at once for what was not answered before
	wait    = 20 * time.Second
)

// Error is a refusal of the server; Status is 0 if it did not answer. Outcome is "not-done", "unknown" or "done".
type Error struct {
	Status                int
	Type, Detail, Outcome string
	retryAfter            time.Duration
	cause                 error
}

func (e *Error) Error() string { return e.Detail }

// Unwrap returns the failure of the connection, such as context.Canceled.
func (e *Error) Unwrap() error { return e.cause }

// IsRefusal says whether the server has refused the request for good, so that it must not be sent again.
func (e *Error) IsRefusal() bool {
	return e.Type != "" && e.Status >= 400 && e.Status < 500 && !isBusy(e.Status)
}

// refusal returns the status of a refusal, or 0: a 404 of a proxy says nothing about a message.
func refusal(err error) int {
	var e *Error
	if errors.As(err, &e) && e.IsRefusal() {
		return e.Status
	}
	return 0
}

func isBusy(status int) bool { // the same request can succeed
	return status == 0 || status == 408 || status == 429 || status == 502 || status == 503 || status == 504
}

// Client is a server. Safe for concurrent use.
type Client struct {
	base, token       string
	http              *http.Client
	timeout, patience time.Duration
}

// ClientOption is Token, Timeout, Patience or HTTPClient.
type ClientOption func(*Client)

// Token is sent with each request.
func Token(t string) ClientOption { return func(c *Client) { c.token = strings.TrimSpace(t) } }

// Timeout is the time of an attempt, 10 s by default, beside the wait of a poll.
func Timeout(d time.Duration) ClientOption { return func(c *Client) { c.timeout = d } }

// Patience is how long a request is repeated while the server can't be reached, 30 s by default.
func Patience(d time.Duration) ClientOption { return func(c *Client) { c.patience = d } }

// HTTPClient replaces the HTTP client, for certificates and proxies. It must not follow redirects.
func HTTPClient(h *http.Client) ClientOption { return func(c *Client) { c.http = h } }

// New returns a client of the server at an address such as https://queue.example.
func New(address string, options ...ClientOption) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy, transport.MaxIdleConnsPerHost = nil, 64
	last := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &Client{base: strings.TrimRight(address, "/"), timeout: 10 * time.Second, patience: 30 * time.Second}
	c.http = &http.Client{Transport: transport, CheckRedirect: last}
	for _, option := range options {
		option(c)
	}
	return c
}

// call sends a request, and again while that can help: each is safe to repeat. Requests of workers go on for ever.
func (c *Client) call(ctx context.Context, method, path string, body, answer any, isWorker bool) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return fmt.Errorf("punctual: the message can't be sent as JSON: %w", err)
		}
	}
	end, timeout := time.Now().Add(c.patience), c.timeout
	if strings.HasSuffix(path, "/claims") {
		timeout += wait
	}
	for pause := 100 * time.Millisecond; ; pause = shorter(2*pause, 5*time.Second) {
		e := c.send(ctx, method, path, data, answer, timeout)
		if e == nil {
			return nil
		}
		delay := pause
		if delay < e.retryAfter {
			delay = e.retryAfter
		}
		isOver := !isWorker && (!isBusy(e.Status) || time.Now().Add(delay).After(end))
		isDone := e.Outcome == "done" && !strings.HasSuffix(path, "/messages") // of several, it is the outcome of the first
		if isOver || isDone || e.IsRefusal() || ctx.Err() != nil {
			return e
		}
		log.Printf("punctual: %v; again in %v", e, delay)
		if sleep(ctx, delay+time.Duration(mathrand.Int63n(int64(delay)/2))); ctx.Err() != nil {
			return e
		}
	}
}

func (c *Client) send(ctx context.Context, method, path string, data []byte, answer any, timeout time.Duration) *Error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(data))
	if err != nil {
		return &Error{Type: "address", Status: 400, Detail: err.Error(), Outcome: "not-done", cause: err}
	}
	if request.URL.User != nil { // failures name the address, and go into logs
		detail := "the address has a user or token; pass the token apart"
		return &Error{Type: "address", Status: 400, Detail: detail, Outcome: "not-done"}
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	var text []byte
	if err == nil {
		text, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err != nil {
		return &Error{Detail: fmt.Sprintf("%s does not answer: %v", c.base, err), Outcome: "unknown", cause: err}
	}
	problem := &Error{Outcome: "unknown"}
	if response.StatusCode >= 300 {
		answer = problem
	}
	err = json.Unmarshal(text, answer)
	if err == nil && response.StatusCode < 300 {
		return nil
	}
	if err != nil || problem.Detail == "" {
		problem = &Error{Outcome: "unknown", cause: err}
		problem.Detail = fmt.Sprintf("%s answered %d, not as a Punctual server does", c.base, response.StatusCode)
	}
	problem.Status = response.StatusCode
	seconds, _ := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 12)
	problem.retryAfter = time.Duration(seconds) * time.Second
	return problem
}

func shorter(a, b time.Duration) time.Duration {
	if a < b {
		return a
	}
	return b
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Message is a message to schedule, due now unless it says otherwise. A payload of type []byte is sent as it is, any other as JSON.
type Message struct {
	ID, IfPresent       string // IfPresent: keep (the default), reject, replace or earliest
	Payload             any
	In, Remember, Every time.Duration
	At, NotAfter        time.Time
	Headers             map[string]string
	Cron, Zone          string
}

// Option sets a part of a message.
type Option func(*Message)

// ID names the message; without it, the client makes one.
func ID(id string) Option { return func(m *Message) { m.ID = id } }

// In makes the message due after a delay.
func In(d time.Duration) Option { return func(m *Message) { m.In = d } }

// At makes the message due at a time.
func At(t time.Time) Option { return func(m *Message) { m.At = t } }

// With sets any other part, for example With(func(m *Message) { m.Every = time.Hour }).
func With(set func(*Message)) Option { return set }

// draft returns the message as the API takes it, where null counts as absent.
func (m Message) draft() map[string]any {
	draft := map[string]any{
		"id":          m.ID,
		"headers":     m.Headers,
		"ifPresent":   optional(m.IfPresent, m.IfPresent),
		"delay":       optional(m.In, millis(m.In)),
		"dueAt":       optional(m.At, m.At.Format(time.RFC3339Nano)),
		"notAfter":    optional(m.NotAfter, m.NotAfter.Format(time.RFC3339Nano)),
		"rememberFor": optional(m.Remember, millis(m.Remember)),
	}
	if m.ID == "" { // known before the request, so that it can be sent again
		draft["id"] = random()
	}
	if raw, ok := m.Payload.([]byte); ok {
		draft["payloadBase64"] = append([]byte{}, raw...)
	} else {
		draft["payload"] = m.Payload
	}
	if m.Every != 0 || m.Cron != "" || m.Zone != "" {
		every, cron, zone := optional(m.Every, millis(m.Every)), optional(m.Cron, m.Cron), optional(m.Zone, m.Zone)
		draft["recurrence"] = map[string]any{"every": every, "cron": cron, "zone": zone}
	}
	return draft
}

func optional[T comparable](value T, shown string) any {
	var zero T
	if value == zero {
		return nil
	}
	return shown
}

func random() string {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		panic(err) // the system has no random numbers
	}
	return fmt.Sprintf("%x", id)
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%dms", (d+time.Millisecond-1)/time.Millisecond)
}

// Scheduled is the result of a schedule. Outcome is STORED, KEPT, REPLACED or REJECTED; a message of ScheduleAll can have a problem instead.
type Scheduled struct {
	ID, Outcome, DueAt string
	Status             int
	Problem            *Error
}

// StoredMessage is a message that the queue has.
type StoredMessage struct {
	ID, State, DueAt, DeadReason, Reason, Origin string
	Attempts                                     int
	Headers                                      map[string]string
	Payload                                      json.RawMessage
	PayloadBase64                                []byte
}

// Queue is a queue of messages.
type Queue struct {
	client     *Client
	name, path string
}

// Queue returns the queue of a name.
func (c *Client) Queue(name string) *Queue {
	return &Queue{c, name, "/v1/queues/" + url.PathEscape(name)}
}

func (q *Queue) call(ctx context.Context, method, path string, body, answer any) error {
	if q.name == "" || q.name == "." || q.name == ".." {
		return fmt.Errorf("punctual: %q is no name of a queue", q.name)
	}
	return q.client.call(ctx, method, q.path+path, body, answer, false)
}

func message(id, rest string) string {
	if id == "" || id == "." || id == ".." { // which a path can't carry
		return "/message" + rest + "?id=" + url.QueryEscape(id)
	}
	return "/messages/" + url.PathEscape(id) + rest
}

// Schedule schedules a message.
func (q *Queue) Schedule(ctx context.Context, payload any, options ...Option) (Scheduled, error) {
	m := Message{Payload: payload}
	for _, option := range options {
		option(&m)
	}
	draft, result := m.draft(), Scheduled{}
	id := draft["id"].(string)
	err := q.call(ctx, "PUT", message(id, ""), draft, &result)
	var e *Error
	if errors.As(err, &e) && e.Outcome == "done" {
		log.Printf("punctual: %s of %s: %v", id, q.name, e)
		return Scheduled{ID: id, Outcome: "STORED", Status: http.StatusCreated}, nil
	}
	if refusal(err) == http.StatusConflict {
		return Scheduled{ID: id, Outcome: "REJECTED", Status: http.StatusConflict}, nil
	}
	return result, err
}

// ScheduleAll schedules messages in requests of 1,000, and returns a result for each.
func (q *Queue) ScheduleAll(ctx context.Context, messages []Message) ([]Scheduled, error) {
	all := make([]Scheduled, 0, len(messages))
	var drafts []any
	for i, m := range messages {
		drafts = append(drafts, m.draft())
		if len(drafts) == most || i == len(messages)-1 {
			var answer struct{ Results []Scheduled }
			if err := q.call(ctx, "POST", "/messages", drafts, &answer); err != nil {
				return all, err
			}
			all, drafts = append(all, answer.Results...), nil
		}
	}
	return all, nil
}

func (q *Queue) change(ctx context.Context, method, path string, body any) (string, error) {
	var answer struct{ Outcome string }
	err := q.call(ctx, method, path, body, &answer)
	switch refusal(err) {
	case http.StatusNotFound:
		return "NOT_FOUND", nil
	case http.StatusConflict:
		return "REFUSED", nil
	}
	return answer.Outcome, err
}

// Cancel returns CANCELLED, RUNNING if a consumer has the message, REFUSED if it is dead, or NOT_FOUND.
func (q *Queue) Cancel(ctx context.Context, id string) (string, error) {
	return q.change(ctx, "DELETE", message(id, ""), nil)
}

// Reschedule takes In or At. It returns RESCHEDULED, REFUSED if the message runs or is dead, or NOT_FOUND; so does RunNow.
func (q *Queue) Reschedule(ctx context.Context, id string, due Option) (string, error) {
	m := Message{}
	due(&m)
	body := map[string]any{"delay": millis(m.In)}
	if !m.At.IsZero() {
		body = map[string]any{"dueAt": m.At.Format(time.RFC3339Nano)}
	}
	return q.change(ctx, "PATCH", message(id, ""), body)
}

// RunNow makes the message due now.
func (q *Queue) RunNow(ctx context.Context, id string) (string, error) {
	return q.change(ctx, "POST", message(id, "/run"), nil)
}

// Find returns the message, or nil.
func (q *Queue) Find(ctx context.Context, id string) (*StoredMessage, error) {
	found := &StoredMessage{}
	err := q.call(ctx, "GET", message(id, ""), nil, found)
	if refusal(err) == http.StatusNotFound {
		return nil, nil
	}
	return found, err
}

// Delivery is a message in a handler.
type Delivery struct {
	ID, Token, DueAt string
	Attempt          int
	LastAttempt      bool
	LatenessMillis   float64
	FencingToken     int64
	Headers          map[string]string
	Payload          json.RawMessage
	PayloadBase64    []byte
	ctx              context.Context
	lose             context.CancelFunc
}

// Decode reads the JSON payload into a value.
func (d *Delivery) Decode(value any) error { return json.Unmarshal(d.Payload, value) }

// Handler processes a message. Its context ends when the lease is lost or the worker has released the message. Returning nil acks.
type Handler func(context.Context, *Delivery) error

type settlement struct {
	ID      string            `json:"id"`
	Token   string            `json:"token"`
	Action  string            `json:"action"`
	Delay   string            `json:"delay,omitempty"`
	Lease   string            `json:"lease,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Failure map[string]string `json:"failure,omitempty"`
}

// Error lets a settlement be what a handler returns.
func (s settlement) Error() string {
	return strings.TrimSpace("punctual: " + s.Action + " " + s.Delay + s.Reason)
}

func (s settlement) of(d *Delivery) settlement {
	s.ID, s.Token = d.ID, d.Token
	return s
}

func (s settlement) key() [2]string { return [2]string{s.ID, s.Token} }

// RetryAfter is returned by a handler: the attempt does not count, and the message is due again after the delay.
func RetryAfter(delay time.Duration) error { return settlement{Action: "defer", Delay: millis(delay)} }

// Retry is returned by a handler: the attempt counts, and the message is due again after the delay.
func Retry(delay time.Duration, reason error) error {
	return settlement{Action: "retry", Delay: millis(delay), Reason: reason.Error()}
}

// Repeat is returned by a handler: the message is done, and due once more after the delay.
func Repeat(delay time.Duration) error { return settlement{Action: "repeat", Delay: millis(delay)} }

// Bury is returned by a handler: the message is a dead letter.
func Bury(reason error) error { return settlement{Action: "bury", Reason: reason.Error()} }

// EndRecurrence is returned by a handler: the message is done, also if it is recurring.
func EndRecurrence() error { return settlement{Action: "end"} }

type worker struct {
	*Queue
	handle       Handler
	name         string
	concurrency  int
	lease, grace time.Duration
	slots        chan struct{}           // has one for each message in a handler, and for those of a claim
	wake, closed chan struct{}           // there is something to settle; there will be nothing more
	lock         sync.Mutex              // guards the rest
	running      map[[2]string]*Delivery // by id and token
	done         []settlement
	again        []delayed          // to settle again
	unanswered   map[[2]string]bool // whose last extension has no answer
	extending    int                // requests in flight for what was not answered before
	retrying     int
	isClosing    bool         // what is not settled is sent again every half second
	requests     atomic.Int32 // that settle
}

// delayed is a settlement that was not done.
type delayed struct {
	settlement
	at      time.Time
	attempt int
}

// WorkOption is Concurrency, Lease, Grace or Name.
type WorkOption func(*worker)

// Concurrency is how many messages are in handlers at once, 8 by default.
func Concurrency(n int) WorkOption { return func(w *worker) { w.concurrency = n } }

// Lease is how long a message stays with a worker that has died, 30 s by default.
func Lease(d time.Duration) WorkOption { return func(w *worker) { w.lease = d } }

// Grace is the time of the handlers to end when the context is done, 20 s by default.
func Grace(d time.Duration) WorkOption { return func(w *worker) { w.grace = d } }

// Name is shown in the list of workers; the default is the name of the queue.
func Name(name string) WorkOption { return func(w *worker) { w.name = name } }

// Work claims messages until the context is done, waits for the handlers, and releases what they have not finished.
// It returns an error if the server refuses the worker, for example its token.
func (q *Queue) Work(ctx context.Context, handle Handler, options ...WorkOption) error {
	w := &worker{Queue: q, handle: handle, name: q.name, concurrency: 8, lease: 30 * time.Second, grace: 20 * time.Second}
	for _, option := range options {
		option(w)
	}
	if w.concurrency < 1 || w.concurrency > most || w.lease < time.Millisecond {
		return fmt.Errorf("punctual: a worker has a concurrency from 1 to %d, and a lease of 1 ms or more", most)
	}
	w.slots, w.running = make(chan struct{}, w.concurrency), map[[2]string]*Delivery{}
	w.wake, w.closed = make(chan struct{}, 1), make(chan struct{})
	settling, stop := context.WithCancel(detached{ctx})
	defer stop()
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		w.keep(settling)
	}()
	go w.extendAll(settling)
	err := w.poll(ctx)
	w.drain()
	close(w.closed)
	defer time.AfterFunc(5*time.Second, stop).Stop()
	<-kept
	return err
}

// detached has the values of a context, but not its end.
type detached struct{ context.Context }

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (detached) Done() <-chan struct{}       { return nil }
func (detached) Err() error                  { return nil }

// poll claims until the context is done, whose end closes the connection, so that the server gives nothing more.
func (w *worker) poll(ctx context.Context) error {
	host, _ := os.Hostname()
	about := map[string]any{"name": w.name, "host": optional(host, host), "pid": os.Getpid(), "version": version, "concurrency": w.concurrency}
	for {
		room := w.room(ctx)
		if ctx.Err() != nil {
			w.free(room)
			return nil
		}
		var answer struct {
			Deliveries []*Delivery
			Settled    []result
			Command    string
		}
		settle := w.finished(true)
		claim := map[string]any{"max": room, "lease": millis(w.lease), "wait": millis(wait), "worker": about, "settle": settle}
		var err error
		if len(settle) == 0 {
			err = w.client.call(ctx, "POST", w.path+"/claims", claim, &answer, true)
		} else { // a slow settlement must not keep a claim for long, nor be repeated with it
			claim["wait"] = "1s"
			err = w.once(ctx, "/claims", claim, &answer, w.client.timeout+time.Second)
		}
		for _, d := range answer.Deliveries {
			w.start(ctx, d)
		}
		w.free(room - len(answer.Deliveries))
		if err == nil {
			w.putBack(w.settled(settle, answer.Settled), 0, nil)
		} else if refusal(err) != 0 && len(settle) == 0 {
			return err
		} else { // one of them is refused, or the context is done
			w.putBack(settle, 0, err)
		}
		if err == nil && answer.Command != "RUN" { // PAUSE by an operator, or STOP: this server ends, and another goes on
			sleep(ctx, time.Second)
		}
	}
}

// room waits for a slot, and takes all that are free.
func (w *worker) room(ctx context.Context) int {
	select {
	case w.slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	for n := 1; ; n++ {
		select {
		case w.slots <- struct{}{}:
		default:
			return n
		}
	}
}

func (w *worker) free(slots int) {
	for ; slots > 0; slots-- {
		<-w.slots
	}
}

func (w *worker) start(ctx context.Context, d *Delivery) {
	handling, lose := context.WithCancel(detached{ctx})
	d.ctx, d.lose = handling, lose
	w.lock.Lock()
	w.running[settlement{}.of(d).key()] = d
	w.lock.Unlock()
	go func() {
		s := failed("runtime.Goexit", "the handler ended its goroutine", place(w.handle))
		defer func() {
			if p := recover(); p != nil {
				s = failed("panic", fmt.Sprint(p), panicked())
			}
			lose()
			w.finish(d, s)
		}()
		if ctx.Err() != nil { // arrived while the worker stopped
			s = settlement{Action: "release"}
		} else {
			s = w.settlement(w.handle(handling, d))
		}
	}()
}

func (w *worker) finish(d *Delivery, s settlement) {
	w.lock.Lock()
	s = s.of(d)
	if w.running[s.key()] != nil { // else released at the end of the grace
		w.done = append(w.done, s)
		delete(w.running, s.key())
	}
	w.lock.Unlock()
	w.wakeUp()
	w.free(1)
}

func (w *worker) wakeUp() {
	select {
	case w.wake <- struct{}{}:
	default: // one waits already
	}
}

// finished returns what is to be settled; a claim takes nothing along while something could not be settled.
func (w *worker) finished(isClaim bool) []settlement {
	w.lock.Lock()
	defer w.lock.Unlock()
	if isClaim && len(w.again) > 0 {
		return nil
	}
	n := len(w.done)
	if n > most {
		n = most
	}
	done := w.done[:n:n]
	w.done = w.done[n:]
	return done
}

// drain waits for the handlers, and releases what they have not finished.
func (w *worker) drain() {
	grace, cancel := context.WithTimeout(context.Background(), w.grace)
	defer cancel()
	for n := 0; n < w.concurrency && grace.Err() == nil; {
		n += w.room(grace)
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	for key, d := range w.running {
		d.lose()
		w.done = append(w.done, settlement{Action: "release"}.of(d))
		delete(w.running, key)
	}
}

func failed(kind, text, origin string) settlement {
	if len(text) > 10_000 {
		text = text[:10_000]
	}
	return settlement{Action: "fail", Failure: map[string]string{"type": kind, "text": text, "origin": origin}}
}

func (w *worker) settlement(err error) settlement {
	var chosen settlement
	if err == nil {
		return settlement{Action: "ack"}
	} else if errors.As(err, &chosen) {
		return chosen
	}
	root := err
	for next := err; next != nil; next = errors.Unwrap(next) {
		root = next
	}
	return failed(strings.TrimLeft(fmt.Sprintf("%T", root), "*"), err.Error(), place(w.handle))
}

// place is where a handler begins: an error of Go does not say where it comes from.
func place(handle Handler) string {
	pc := reflect.ValueOf(handle).Pointer()
	file, line := runtime.FuncForPC(pc).FileLine(pc)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

// panicked is the line that has panicked.
func panicked() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") || !more {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
	}
}

// keep settles what no claim takes along; what could not be settled goes again, apart from the rest.
func (w *worker) keep(ctx context.Context) {
	for {
		select {
		case <-w.wake:
			w.settleAgain(ctx)
			if fresh := w.finished(false); len(fresh) > 0 {
				sent := w.begin(func() { w.settle(ctx, fresh, 0) })
				select { // meanwhile, others finish, and one request settles them, but not if this one is slow
				case <-sent:
				case <-time.After(time.Second):
				case <-w.closed:
				}
				w.wakeUp() // there can be more
			}
		case <-w.closed:
			w.flush(ctx)
			return
		}
	}
}

// flush settles what is left, again and again until the context is done.
func (w *worker) flush(ctx context.Context) {
	end := ctx.Done()
	for attempt := 0; ; attempt = 1 {
		isIdle := w.requests.Load() == 0 // before the look at what is left
		w.lock.Lock()
		w.isClosing = true
		rest, later := w.done, []delayed(nil)
		for _, each := range w.again {
			if attempt == 0 || !time.Now().Before(each.at) {
				rest = append(rest, each.settlement)
			} else {
				later = append(later, each)
			}
		}
		w.done, w.again = nil, later
		w.lock.Unlock()
		left := len(rest) + len(later)
		if isIdle && ctx.Err() != nil && left > 0 {
			log.Printf("punctual: %s: %d messages are not settled", w.Queue.name, left)
		}
		if isIdle && (ctx.Err() != nil || left == 0) {
			return
		}
		for _, batch := range split(rest, (len(rest)+most-1)/most) {
			attempt, batch := attempt, batch
			w.begin(func() { w.settle(ctx, batch, attempt) })
		}
		select {
		case <-w.wake: // a request or a pause has ended
		case <-end:
			end = nil
		}
	}
}

func (w *worker) begin(send func()) chan struct{} {
	sent := make(chan struct{})
	w.requests.Add(1)
	go func() {
		send()
		close(sent)
		w.requests.Add(-1)
		w.wakeUp()
	}()
	return sent
}

// split returns at most so many lists with the items.
func split[T any](items []T, parts int) [][]T {
	if parts > len(items) {
		parts = len(items)
	}
	lists := make([][]T, parts)
	for i := range items {
		lists[i%parts] = append(lists[i%parts], items[i])
	}
	return lists
}

// extendAll extends what runs once per tick; what has no answer yet goes apart from the rest.
func (w *worker) extendAll(ctx context.Context) {
	ticker := time.NewTicker(w.lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-w.closed:
			return
		}
		var fresh, slow []settlement
		w.lock.Lock()
		before := w.unanswered
		w.unanswered = map[[2]string]bool{}
		for key, d := range w.running {
			if d.ctx.Err() != nil {
				continue
			}
			w.unanswered[key] = true // a fresh one is sent now, a slow one was sent before
			s := settlement{Action: "extend", Lease: millis(w.lease)}.of(d)
			if before[key] {
				slow = append(slow, s)
			} else {
				fresh = append(fresh, s)
			}
		}
		if len(fresh) > 0 {
			go w.extend(ctx, fresh)
		}
		for _, batch := range split(slow, pieces) {
			if batch := batch; w.extending < 2*pieces {
				w.extending++
				go func() {
					w.extend(ctx, batch)
					w.lock.Lock()
					w.extending--
					w.lock.Unlock()
				}()
			}
		}
		w.lock.Unlock()
	}
}

func (w *worker) extend(ctx context.Context, batch []settlement) {
	timeout := w.lease / 3
	if timeout < time.Second {
		timeout = time.Second
	}
	var answer struct{ Results []result }
	err := w.once(ctx, "/settlements", batch, &answer, shorter(timeout, w.client.timeout))
	if err != nil {
		log.Printf("punctual: %s: %d messages are not extended: %v", w.Queue.name, len(batch), err)
	}
	busy := map[[2]string]bool{}
	for _, s := range w.settled(batch, answer.Results) {
		busy[s.key()] = true
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, s := range batch {
		if err == nil && !busy[s.key()] {
			delete(w.unanswered, s.key())
		}
	}
}

type result struct {
	Status  int
	Outcome string
	Problem struct{ Outcome string }
}

// once sends a request a single time.
func (w *worker) once(ctx context.Context, path string, body, answer any, timeout time.Duration) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if e := w.client.send(ctx, "POST", w.path+path, data, answer, timeout); e != nil {
		return e
	}
	return nil
}

func (w *worker) settle(ctx context.Context, batch []settlement, attempt int) {
	var answer struct{ Results []result }
	err := w.once(ctx, "/settlements", batch, &answer, w.client.timeout)
	if err == nil {
		w.putBack(w.settled(batch, answer.Results), attempt, nil)
	} else if refusal(err) == 0 {
		w.putBack(batch, attempt, err)
	} else if len(batch) == 1 {
		log.Printf("punctual: %s: a message is not settled: %v", w.Queue.name, err)
	} else { // one must not keep the others
		for i := range batch {
			w.settle(ctx, batch[i:i+1], attempt)
		}
	}
}

// putBack lets settlements be sent again after a pause.
func (w *worker) putBack(batch []settlement, attempt int, err error) {
	var e *Error
	errors.As(err, &e)
	if len(batch) == 0 || e != nil && e.Outcome == "done" {
		return
	}
	pause := shorter(time.Second/2<<attempt, 5*time.Second)
	if refusal(err) != 0 {
		pause = 0
	} else if e != nil && e.retryAfter > pause {
		pause = e.retryAfter
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.isClosing {
		pause = time.Second / 2
	}
	if err != nil && attempt == 0 && pause > 0 {
		log.Printf("punctual: %s: %d messages are not settled yet: %v", w.Queue.name, len(batch), err)
	}
	if attempt < 9 {
		attempt++
	}
	for _, s := range batch {
		w.again = append(w.again, delayed{s, time.Now().Add(pause), attempt})
	}
	time.AfterFunc(pause+time.Millisecond, w.wakeUp)
}

func (w *worker) settleAgain(ctx context.Context) {
	w.lock.Lock()
	defer w.lock.Unlock()
	var due, later []delayed
	for _, each := range w.again {
		if w.retrying < pieces && len(due) < most && !time.Now().Before(each.at) {
			due = append(due, each)
		} else {
			later = append(later, each)
		}
	}
	w.again = later
	for _, piece := range split(due, pieces-w.retrying) {
		attempt, batch := 0, []settlement(nil)
		for _, each := range piece {
			batch = append(batch, each.settlement)
			if each.attempt > attempt {
				attempt = each.attempt
			}
		}
		w.retrying++
		w.begin(func() {
			w.settle(ctx, batch, attempt)
			w.lock.Lock()
			w.retrying--
			w.lock.Unlock()
		})
	}
}

// settled returns what must be sent again.
func (w *worker) settled(batch []settlement, results []result) (again []settlement) {
	for i, r := range results {
		w.lock.Lock()
		d := w.running[batch[i].key()]
		w.lock.Unlock()
		if isBusy(r.Status) && r.Problem.Outcome != "done" {
			again = append(again, batch[i])
		} else if d != nil && r.Outcome == "LEASE_LOST" {
			log.Printf("punctual: %s of %s: the lease is lost, another consumer may have it", d.ID, w.Queue.name)
			d.lose()
		}
	}
	return again
}
