/** Path of the endpoint for clients of the Model Context Protocol. */
export const mcpPath = '/mcp';

/** Maximum size of the text of a tool's result, in bytes of UTF-8. */
export const maximumResultBytes = 8_000;
