// The GraphQL documents of webhooks and what they deliver.

export const WEBHOOKS = `
  query ConsoleWebhooks($after: String) {
    webhooks: webhooksConnection(first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        name
        channel
        format
        url
        headerNames
        status
        types
        failures
        lastDeliveredAt
      }
    }
  }
`;

export const ADD_WEBHOOK = `
  mutation ConsoleAddWebhook($webhook: WebhookCreate!) {
    createWebhook(webhook: $webhook) {
      secret
      webhook {
        id
        name
      }
    }
  }
`;

export const SWITCH_WEBHOOK = `
  mutation ConsoleSwitchWebhook($webhookId: UUID!, $status: WebhookStatus!) {
    updateWebhook(webhookId: $webhookId, changes: { status: $status }) {
      id
    }
  }
`;

export const TEST_WEBHOOK = `
  mutation ConsoleTestWebhook($webhookId: UUID!) {
    sendWebhookTest(webhookId: $webhookId) {
      eventId
    }
  }
`;

export const REPLAY_WEBHOOK = `
  mutation ConsoleReplayWebhook($webhookId: UUID!, $since: DateTime!) {
    replayWebhook(webhookId: $webhookId, replay: { since: $since }) {
      deliveries
    }
  }
`;

export const DELETE_WEBHOOK = `
  mutation ConsoleDeleteWebhook($webhookId: UUID!) {
    deleteWebhook(webhookId: $webhookId) {
      message
    }
  }
`;

export const DELIVERIES = `
  query ConsoleDeliveries($webhookId: UUID!, $after: String) {
    webhookDeliveries: webhookDeliveriesConnection(webhookId: $webhookId, first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        type
        assetFqn
        status
        attempts
        responseStatus
        error
        createdAt
      }
    }
  }
`;
