// Command scenario is a program that tests drive: a JSON command in each line of the input, a JSON line for each result and event.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"punctual.io/punctual"
)

// CardError is what a handler fails with.
type CardError struct{ text string }

func (e *CardError) Error() string { return e.text }

type options struct{ ID, Delay, At, IfPresent, Every string }

type command struct {
	N                                                          int
	Do, URL, Token, Queue, ID, Lease, Grace, Timeout, Patience string
	Bytes                                                      *string
	Payload                                                    any
	Options                                                    options
	Messages                                                   []struct {
		ID, Delay string
		Payload   any
	}
	Concurrency int
}

var (
	lock    sync.Mutex
	clients = map[string]*punctual.Client{}
	workers = map[string]func(){} // ends a worker and waits for it
	seen    sync.Map
	wait    = len(os.Args) > 1 && os.Args[1] == "wait"
	going   sync.Map
)

func tell(line map[string]any) {
	lock.Lock()
	defer lock.Unlock()
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func handle(ctx context.Context, d *punctual.Delivery) error {
	var payload any = fromLatin1(d.PayloadBase64)
	if d.Payload != nil {
		if err := d.Decode(&payload); err != nil {
			return err
		}
	}
	tell(map[string]any{"event": "begin", "id": d.ID, "attempt": d.Attempt, "late": d.LatenessMillis, "payload": payload})
	object, _ := payload.(map[string]any)
	switch object["do"] {
	case "fail":
		return fmt.Errorf("can't charge: %w", &CardError{"declined \x80"})
	case "exit":
		panic("a handler must not do this")
	case "huge":
		return &CardError{strings.Repeat("x", 9_000_000)}
	case "odd":
		runtime.Goexit()
	case "block":
		time.Sleep(time.Duration(object["millis"].(float64)) * time.Millisecond)
	case "retry":
		if d.Attempt == 1 {
			return punctual.Retry(50*time.Millisecond, errors.New("not yet \x80"))
		}
	case "bury":
		return punctual.Bury(errors.New("no such card \x80"))
	case "end":
		return punctual.EndRecurrence()
	case "later":
		if _, was := seen.LoadOrStore(d.ID, true); !was {
			return punctual.RetryAfter(50 * time.Millisecond)
		}
	case "hang":
		event := "end"
		for isGoing := false; !isGoing && event == "end"; _, isGoing = going.Load(d.ID) {
			select {
			case <-time.After(20 * time.Millisecond):
			case <-ctx.Done():
				event = "lost"
			}
		}
		tell(map[string]any{"event": event, "id": d.ID})
	}
	return nil
}

func fromLatin1(data []byte) string {
	text := make([]rune, len(data))
	for i, b := range data {
		text[i] = rune(b)
	}
	return string(text)
}

func toLatin1(text string) []byte {
	data := []byte{}
	for _, r := range text {
		data = append(data, byte(r))
	}
	return data
}

func span(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if text != "" && err != nil {
		panic(err)
	}
	return d
}

func (o options) set(m *punctual.Message) {
	m.ID, m.In, m.IfPresent, m.Every = o.ID, span(o.Delay), o.IfPresent, span(o.Every)
	if o.At != "" {
		m.At, _ = time.Parse(time.RFC3339, o.At)
	}
}

func work(ctx context.Context, q *punctual.Queue, c command) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		err := q.Work(ctx, handle, punctual.Concurrency(c.Concurrency), punctual.Lease(span(c.Lease)), punctual.Grace(span(c.Grace)), punctual.Name("scenario"))
		if err != nil {
			tell(map[string]any{"event": "refused", "id": c.Queue, "error": err.Error()})
		}
		close(ended)
		if wait {
			tell(map[string]any{"event": "closed"})
			os.Exit(0)
		}
	}()
	lock.Lock()
	defer lock.Unlock()
	workers[c.Queue] = func() {
		cancel()
		<-ended
	}
}

func run(ctx context.Context, c command) (any, error) {
	switch c.Do {
	case "go":
		going.Store(c.ID, true)
		return nil, nil
	case "goroutines":
		return runtime.NumGoroutine(), nil
	case "close":
		lock.Lock()
		end := workers[c.Queue]
		lock.Unlock()
		end()
		return nil, nil
	}
	lock.Lock()
	client := clients[c.URL+" "+c.Token]
	if client == nil {
		given := []punctual.ClientOption{punctual.Token(c.Token), punctual.Patience(90 * time.Second)}
		if c.Timeout != "" {
			given = append(given, punctual.Timeout(span(c.Timeout)), punctual.Patience(span(c.Patience)))
		}
		client = punctual.New(c.URL, given...)
		clients[c.URL+" "+c.Token] = client
	}
	lock.Unlock()
	q, background := client.Queue(c.Queue), context.Background()
	switch c.Do {
	case "work":
		work(ctx, q, c)
		return nil, nil
	case "schedule":
		if c.Bytes != nil {
			c.Payload = toLatin1(*c.Bytes)
		}
		result, err := q.Schedule(background, c.Payload, c.Options.set)
		return result.Outcome, err
	case "scheduleAll":
		var messages []punctual.Message
		for _, m := range c.Messages {
			messages = append(messages, punctual.Message{ID: m.ID, In: span(m.Delay), Payload: m.Payload})
		}
		results, err := q.ScheduleAll(background, messages)
		outcomes := []string{}
		for _, r := range results {
			outcomes = append(outcomes, r.Outcome)
		}
		return outcomes, err
	case "cancel":
		return q.Cancel(background, c.ID)
	case "runNow":
		return q.RunNow(background, c.ID)
	case "reschedule":
		return q.Reschedule(background, c.ID, c.Options.set)
	}
	found, err := q.Find(background, c.ID)
	if found == nil {
		return nil, err
	}
	return found.State, err
}

func main() {
	ctx := context.Background()
	if wait {
		ctx, _ = signal.NotifyContext(ctx, syscall.SIGTERM)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			panic(err)
		}
		go func() {
			result, err := run(ctx, c)
			if err != nil {
				tell(map[string]any{"n": c.N, "error": err.Error()})
			} else {
				tell(map[string]any{"n": c.N, "result": result})
			}
		}()
	}
}
