// The GraphQL documents of registered servers: what is called elsewhere, and which of their tools somebody approved.

export const SERVERS = `
  query ConsoleServers($after: String) {
    registeredServers: registeredServersConnection(first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        resourceUri
        name
        kind
        description
        url
        headerNames
        enabled
        status
        statusMessage
        approvedBy
        approvedAt
        seenSha256
        toolCount
        leftOutCount
        permissions
      }
    }
  }
`;

export const REGISTER_SERVER = `
  mutation ConsoleRegisterServer($server: RegisteredServerCreate!) {
    createRegisteredServer(server: $server) {
      resourceUri
      name
    }
  }
`;

export const CHANGE_SERVER = `
  mutation ConsoleChangeServer($resourceUri: String!, $changes: RegisteredServerUpdate!) {
    updateRegisteredServer(resourceUri: $resourceUri, changes: $changes) {
      resourceUri
    }
  }
`;

export const DELETE_SERVER = `
  mutation ConsoleDeleteServer($resourceUri: String!) {
    deleteRegisteredServer(resourceUri: $resourceUri) {
      message
    }
  }
`;

export const READ_TOOLS = `
  mutation ConsoleReadTools($resourceUri: String!) {
    verifyRegisteredServer(resourceUri: $resourceUri) {
      success
      message
      leftOut
    }
  }
`;

export const TOOLS = `
  query ConsoleTools($resourceUri: String!, $after: String) {
    registeredServerTools: registeredServerToolsConnection(resourceUri: $resourceUri, first: 100, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        name
        state
        description
        inputSchema
        definition
        approvedDefinition
      }
    }
  }
`;

export const APPROVE_TOOLS = `
  mutation ConsoleApproveTools($resourceUri: String!, $sha256: String!) {
    approveRegisteredServerTools(resourceUri: $resourceUri, approval: { sha256: $sha256 }) {
      toolCount
    }
  }
`;

export const CALL_TOOL = `
  mutation ConsoleCallTool($resourceUri: String!, $call: ServerCallCreate!) {
    callRegisteredServer(resourceUri: $resourceUri, call: $call) {
      outcome
      content
      error
      milliseconds
    }
  }
`;

export const CALLS = `
  query ConsoleCalls($resourceUri: String!, $after: String) {
    registeredServerCalls: registeredServerCallsConnection(resourceUri: $resourceUri, first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        tool
        outcome
        error
        milliseconds
        calledBy
        createdAt
      }
    }
  }
`;

export const HELD = `
  query ConsoleHeld {
    dataConnections: dataConnectionsConnection(first: 100) {
      nodes {
        name
        resourceUri
      }
    }
    registeredServers: registeredServersConnection(first: 100) {
      nodes {
        name
        resourceUri
      }
    }
  }
`;
