import { isRecord } from '../../../core/json-value.ts'

type Fields = Readonly<Record<string, unknown>>

/** Results of tools that ran on Anthropic's servers; the name of the tool comes before `_tool_result`. */
const results = /^(web_search|web_fetch|(?:(?:bash|text_editor)_)?code_execution|tool_search|mcp)_tool_result$/

/**
 * Replaces the calls and results of server tools in assistant messages by text blocks, in the same places. Unknown blocks stay as they are and are rejected later.
 */
export function readServerTools(body: unknown): unknown {
  if (!isRecord(body) || !Array.isArray(body.messages)) return body
  const messages = body.messages.map((message: unknown) => {
    if (!isRecord(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return message
    const written = message.content.map((block: unknown) => {
      const text = isRecord(block) ? textOf(block) : null
      return text === null ? block : { type: 'text', text }
    })
    return { ...message, content: written }
  })
  return { ...body, messages }
}

function textOf(block: Fields): string | null {
  const { type, name, server_name: server, input, content, is_error: isError } = block
  if (type === 'server_tool_use' || type === 'mcp_tool_use') {
    if (typeof name !== 'string') return null
    return `Called the tool ${name}${typeof server === 'string' ? ` of ${server}` : ''}: ${JSON.stringify(input ?? {})}`
  }
  const tool = typeof type === 'string' ? results.exec(type)?.[1] : undefined
  const said = tool === undefined ? null : resultOf(content ?? '')
  return said === null ? null : `Result of ${tool === 'mcp' ? 'the tool' : tool}:\n${isError === true ? 'Error: ' : ''}${said || '(none)'}`
}

/** The result of a tool as text; null = its meaning is unknown. */
function resultOf(content: unknown): string | null {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return joined(content.map(resultOf), '\n\n')
  return isRecord(content) ? recordOf(content, String(content.type)) : null
}

function recordOf(part: Fields, type: string): string | null {
  const { title, url, content, error_code: error } = part
  if (type.endsWith('_tool_result_error')) return `Error: ${String(error)}`
  if (type === 'text') return typeof part.text === 'string' ? part.text : null
  if (type === 'web_search_result') return lines([title, url, part.page_age])
  if (type === 'web_fetch_result') return lines([url, isRecord(content) ? documentOf(content) : null])
  if (type === 'document') return documentOf(part)
  if (/^(?:encrypted_|bash_)?code_execution_result$/.test(type)) return outputOf(part)
  if (type === 'text_editor_code_execution_view_result') return typeof content === 'string' ? content : null
  if (type === 'text_editor_code_execution_create_result')
    return part.is_file_update === true ? 'The file was updated.' : 'The file was created.'
  if (type === 'text_editor_code_execution_str_replace_result')
    return Array.isArray(part.lines) ? lines(part.lines) : 'The file was changed.'
  if (type !== 'tool_search_tool_search_result' || !Array.isArray(part.tool_references)) return null
  return lines(part.tool_references.map((tool: unknown) => (isRecord(tool) ? tool.tool_name : null)))
}

/** The output of a program, without its files, which stay on that server. */
function outputOf({ stdout, stderr, return_code: code }: Fields): string {
  return lines([stdout, stderr, typeof code === 'number' && code !== 0 ? `Exit code ${code}` : null])
}

/** A fetched page; only its title if the page is not text. */
function documentOf({ title, source }: Fields): string {
  const read = isRecord(source) && source.type === 'text' ? source.data : '(not readable here)'
  return lines([title, read])
}

function lines(parts: readonly unknown[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join('\n')
}

function joined(parts: readonly (string | null)[], between: string): string | null {
  return parts.includes(null) ? null : parts.join(between)
}
