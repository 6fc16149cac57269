import { computed, signal } from '@preact/signals'
import { sentenceOf } from '../../interface/request.ts'
import { streamChat } from '../../interface/stream-chat.ts'
import { chatRequestBody, chatSettings } from './chat-settings.ts'

export interface AnswerFacts {
  readonly promptTokens: number
  readonly completionTokens: number
  /** From sending to the first text. */
  readonly firstTextMs: number
  /** From the first text to the last. */
  readonly writingMs: number
}

export interface Turn {
  readonly id: number
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly state: 'writing' | 'done' | 'stopped' | 'cut' | 'failed'
  readonly failure: string | null
  readonly facts: AnswerFacts | null
}

/** The conversation of the chat playground; it lives as long as the page. */
export const turns = signal<readonly Turn[]>([])
/** Whether the model is answering right now. */
export const writing = computed(() => turns.value.at(-1)?.state === 'writing')

let nextId = 1
let current: AbortController | null = null

/** Adds what a person said and lets the model answer. */
export function say(content: string): void {
  turns.value = [...turns.value, { id: nextId++, role: 'user', content, state: 'done', failure: null, facts: null }]
  void answer()
}

/** Throws the last answer away and asks again. */
export function regenerate(): void {
  if (turns.value.at(-1)?.role === 'assistant') turns.value = turns.value.slice(0, -1)
  void answer()
}

/** Stops the answer where it is; what was written stays. */
export function stop(): void {
  current?.abort()
}

/** Stops what is being written and forgets every turn. */
export function clearConversation(): void {
  stop()
  turns.value = []
}

async function answer(): Promise<void> {
  const controller = new AbortController()
  current = controller
  const history = turns.value.filter((turn) => turn.content !== '').map(({ role, content }) => ({ role, content }))
  const id = nextId++
  turns.value = [...turns.value, { id, role: 'assistant', content: '', state: 'writing', failure: null, facts: null }]
  const change = (update: (turn: Turn) => Partial<Turn>) => {
    turns.value = turns.value.map((turn) => (turn.id === id ? { ...turn, ...update(turn) } : turn))
  }
  const sentAt = performance.now()
  let firstAt = 0
  try {
    for await (const part of streamChat(chatRequestBody(chatSettings.value, history), controller.signal)) {
      if (part.type === 'text') {
        firstAt ||= performance.now()
        change((turn) => ({ content: turn.content + part.text }))
      } else if (part.type === 'end') {
        change(() => ({ state: part.reason === 'length' ? 'cut' : 'done' }))
      } else {
        const { promptTokens, completionTokens } = part
        const endedAt = performance.now()
        // An answer without a text never began to be written.
        firstAt ||= endedAt
        change(() => ({ facts: { promptTokens, completionTokens, firstTextMs: firstAt - sentAt, writingMs: endedAt - firstAt } }))
      }
    }
  } catch (error) {
    change(() => (controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', failure: sentenceOf(error) }))
  }
}
