// Verifies one delivery by the official library of Standard Webhooks: go run verify_webhook.go FILE
// The file has {secret, headers, body}. Fails as well where a body that was changed passes.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type delivery struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func main() {
	log.SetFlags(0)
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var given delivery
	if err := json.Unmarshal(text, &given); err != nil {
		log.Fatal(err)
	}
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	webhook, err := webhooks.NewWebhook(given.Secret)
	if err != nil {
		log.Fatal(err)
	}
	if err := webhook.Verify([]byte(given.Body), headers); err != nil {
		log.Fatal(err)
	}
	if webhook.Verify([]byte(strings.Replace(given.Body, "{", "{ ", 1)), headers) == nil {
		log.Fatal("a body that was changed passes")
	}
	fmt.Println(given.Body)
}
