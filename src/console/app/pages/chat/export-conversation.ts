import type { Turn } from '../../../../core/chat/conversation.ts'
import { defined } from '../../../../core/defined.ts'
import { t } from '../../language/t.ts'
import { messagesOf, textOf } from './message-text.ts'

/** A conversation as a Markdown document with its title and the role of each message. */
export function conversationMarkdown(title: string, turns: readonly Turn[]): string {
  const said = turns.map(
    (turn) =>
      `**${turn.role === 'user' ? t`You` : (turn.model ?? t`The model`)}:**\n\n${[...picturesOf(turn), textOf(turn).trim()].filter(Boolean).join('\n\n')}\n`,
  )
  return [`# ${title}\n`, ...said].join('\n')
}

/** Pictures embedded in the document. Line breaks and brackets are removed from their names. */
function picturesOf({ pictures = [] }: Turn): readonly string[] {
  return pictures.map(({ name, url }) => `![${name.replace(/[\][\\\r\n]/g, ' ')}](${url})`)
}

/** A conversation as JSON: messages in the format of chat completions with their metadata, which the console can import. */
export function conversationJson(title: string, turns: readonly Turn[]): string {
  const messages = turns.flatMap((turn) =>
    messagesOf(turn).map((message) => ({
      ...message,
      ...(turn.model !== null && { model: turn.model }),
      at: new Date(turn.at).toISOString(),
    })),
  )
  const exported = turns.map(({ role, content, model, thoughts, files, pictures, calls }) => ({
    role,
    content,
    ...(model !== null && { model }),
    ...(thoughts && { thoughts }),
    ...(files.length > 0 && { files }),
    ...defined({ pictures, calls }),
  }))
  return `${JSON.stringify({ title, messages, turns: exported }, null, 2)}\n`
}

/** A file name made from a title that is valid on every system. */
export function fileName(title: string, extension: string): string {
  const name = title
    .normalize('NFKD')
    .replace(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
  return `${name.slice(0, 60).toLowerCase() || 'conversation'}.${extension}`
}
