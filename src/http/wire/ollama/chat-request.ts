import Type, { type Static } from 'typebox'
import { defined } from '../../../core/defined.ts'
import type { FieldFault } from '../../../core/error.ts'
import type { ChatInput, ChatMessage, SeenPart, ToolCall } from '../../../core/text-generation.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { refuseFaults, textFaultCodes } from '../../faults/refuse-faults.ts'
import { jsonObject } from '../chat/response-format-field.ts'
import { findToolFaults, readToolChoice, readTools, toolFields, toolName } from '../chat/tool-fields.ts'
import { ignoredFields } from '../ignored-fields.ts'
import { findImageFaults, imagesField, readImages } from './images-field.ts'
import { findRunFaults, modelField, type OllamaRun, readChatOptions, readRun, runFields } from './run-fields.ts'

const callSchema = closed({
  function: closed({
    name: Type.String({ minLength: 1, maxLength: 1024 }),
    arguments: Type.Optional(Type.Union([jsonObject, Type.String()])),
    ...ignoredFields('index', 'description'),
  }),
  id: Type.Optional(Type.String({ maxLength: 4096 })),
  ...ignoredFields('type', 'index'),
})

const messageSchema = closed({
  role: Type.Enum(['system', 'user', 'assistant', 'tool']),
  ...optional({
    content: Type.String(),
    thinking: Type.String({ description: 'Only on assistant messages: earlier reasoning, for templates that use it.' }),
    images: imagesField,
    tool_calls: Type.Array(callSchema, { maxItems: 256, description: 'Only on assistant messages.' }),
    tool_name: Type.String({ maxLength: 1024, description: 'Only on tool messages: the function that was called.' }),
    tool_call_id: Type.String({ maxLength: 4096, description: 'The call it answers; by default the first one without an answer.' }),
    name: Type.String({ maxLength: 1024, description: "The older name for `tool_name`; else the speaker's." }),
  }),
})

const toolSchema = closed({
  type: Type.Optional(Type.Literal('function')),
  function: closed({
    name: toolName,
    ...optional({
      description: Type.String(),
      parameters: jsonObject,
      strict: Type.Boolean(),
    }),
  }),
  ...ignoredFields('items'),
})

/** The body of POST /api/chat. */
export const ollamaChatSchema = closed({
  model: modelField,
  ...optional({
    messages: Type.Array(messageSchema, { description: 'The conversation; without messages, the model is loaded or unloaded.' }),
    tools: Type.Array(toolSchema, { maxItems: 256, description: 'Functions the model may call.' }),
  }),
  tool_choice: toolFields.tool_choice,
  ...runFields,
})

type ChatBody = Static<typeof ollamaChatSchema>
type MessageBody = Static<typeof messageSchema>

const checker = createBodyChecker(ollamaChatSchema)

/** Reads the body of POST /api/chat. @throws {ServiceError} naming every fault at once. */
export function parseOllamaChat(received: unknown): OllamaRun {
  const body = checker.parse(received, textFaultCodes)
  const { messages = [] } = body
  const tools = {
    tools: (body.tools ?? []).map((tool) => ({ ...tool, type: 'function' as const })),
    ...defined({ tool_choice: body.tool_choice }),
  }
  refuseFaults([...findRunFaults(body), ...findTurnFaults(messages), ...findToolFaults(tools)], textFaultCodes)
  const input: ChatInput = {
    type: 'chat',
    messages: readTurns(messages),
    tools: readTools(tools),
    toolChoice: readToolChoice(tools),
    parallelToolCalls: true,
    ...(endsInBeginning(messages) && { opening: 'last-message' }),
    ...readChatOptions(body),
  }
  return readRun(body, messages.length === 0 ? null : input)
}

function findTurnFaults(messages: NonNullable<ChatBody['messages']>): readonly FieldFault[] {
  return messages.flatMap(({ role, images, tool_calls: calls = [], thinking }, index) => {
    const path = ['messages', index] as const
    const misplaced = (field: string, owner: string): FieldFault => ({
      path: [...path, field],
      message: `\`messages[${index}].${field}\` belongs to ${owner} messages only: remove it.`,
      kind: 'conflict',
    })
    return [
      ...(calls.length > 0 && role !== 'assistant' ? [misplaced('tool_calls', 'assistant')] : []),
      ...(thinking !== undefined && role !== 'assistant' ? [misplaced('thinking', 'assistant')] : []),
      ...((images ?? []).length > 0 && role !== 'user' ? [misplaced('images', 'user')] : []),
      ...findImageFaults(images, [...path, 'images']),
    ]
  })
}

/** Whether the answer continues the last message, by Ollama's rules. */
function endsInBeginning(messages: readonly MessageBody[]): boolean {
  const last = messages.at(-1)
  return last?.role === 'assistant' && (last.content ?? '') !== '' && (last.tool_calls ?? []).length === 0
}

/** Calls without an id get one from their index; results without one answer them in order. */
function readTurns(messages: readonly MessageBody[]): readonly ChatMessage[] {
  const open = new Map<string, string>()
  return messages.map((message, index): ChatMessage => {
    const { role, content = '', name } = message
    if (role === 'tool') {
      const tool = message.tool_name ?? name
      const [named] = [...open].find(([, called]) => called === tool) ?? []
      const toolCallId = message.tool_call_id || (named ?? [...open.keys()][0] ?? '')
      open.delete(toolCallId)
      return { role, content, toolCallId }
    }
    const speaker = name ? { name } : {}
    if (role !== 'assistant') return { role, content, ...readLook(message), ...speaker }
    const toolCalls = readCalls(message, index)
    for (const call of toolCalls) open.set(call.id, call.name)
    return {
      role,
      content: content === '' && toolCalls.length > 0 ? null : content,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(message.thinking !== undefined && { thoughts: message.thinking }),
      ...speaker,
    }
  })
}

function readLook({ content = '', images = [] }: MessageBody): { readonly parts?: readonly SeenPart[] } {
  return images.length === 0
    ? {}
    : { parts: [...readImages(images), ...(content === '' ? [] : [{ type: 'text', text: content } as const])] }
}

function readCalls({ tool_calls: calls = [] }: MessageBody, index: number): readonly ToolCall[] {
  return calls.map(({ id, function: { name, arguments: given = {} } }, place) => ({
    id: id || `call_${index}_${place}`,
    name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  }))
}
