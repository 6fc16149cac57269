import {
  longestCallId,
  longestCallName,
  longestContent,
  longestFileName,
  longestModelName,
  longestPicture,
  longestTitle,
  maxCalls,
  maxFiles,
  maxPictures,
  picturePattern,
  type Turn,
} from '../../../../core/chat/conversation.ts'
import { isRecord } from '../../../../core/json-value.ts'
import { beginning, isVisible, onOneLine } from '../../../../core/text/visible-text.ts'
import { makeId } from '../../browser/make-id.ts'
import { readJson } from '../../interface/read-json.ts'
import { t } from '../../language/t.ts'

/** A conversation from an export, with new ids. */
export interface ImportedConversation {
  readonly title: string
  readonly turns: readonly Turn[]
}

/** Message limit of a conversation. */
const maxTurns = 5000
const isAddress = new RegExp(picturePattern)

/** Reads a file that the console exported as JSON; null = not such a file. */
export function readExport(text: string, now: number): ImportedConversation | null {
  const value = readJson(text)
  if (!isRecord(value) || !Array.isArray(value.turns) || value.turns.length === 0 || value.turns.length > maxTurns) return null
  const turns: Turn[] = []
  for (const each of value.turns) {
    const turn = readTurn(each, { parent: turns.at(-1)?.id ?? null, at: now + turns.length })
    if (turn === null) return null
    turns.push(turn)
  }
  const title = typeof value.title === 'string' ? beginning(onOneLine(value.title), longestTitle) : ''
  return { title: isVisible(title) ? title : t`Untitled`, turns }
}

/** A message of an export, without its invalid fields; null when it has no role or text. */
function readTurn(value: unknown, { parent, at }: Pick<Turn, 'parent' | 'at'>): Turn | null {
  if (!isRecord(value)) return null
  const { role, content, model, thoughts, files, pictures, calls } = value
  if ((role !== 'user' && role !== 'assistant') || !isText(content)) return null
  const kept = listOf(files, (file) => isText(file.name) && isText(file.text)).slice(0, maxFiles)
  const shown = listOf(pictures, (picture) => isText(picture.name) && isPicture(picture.url)).slice(0, maxPictures)
  const called = listOf(
    calls,
    (call) => isName(call.id, longestCallId) && isName(call.name, longestCallName) && isText(call.arguments),
  ).slice(0, maxCalls)
  return {
    id: makeId(),
    parent,
    role,
    content,
    files: kept.map(({ name, text }) => ({ name: beginning(String(name), longestFileName), text: String(text) })),
    ...(shown.length > 0 && {
      pictures: shown.map(({ name, url }) => ({ name: beginning(String(name), longestFileName), url: String(url) })),
    }),
    ...(called.length > 0 && {
      calls: called.map((call) => ({
        id: String(call.id),
        name: String(call.name),
        arguments: String(call.arguments),
        ...(isText(call.result) && { result: call.result }),
      })),
    }),
    ...(isText(thoughts) && { thoughts }),
    state: 'done',
    failure: null,
    model: isName(model, longestModelName) ? model : null,
    facts: null,
    at,
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= longestContent
}

function isName(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= longest
}

function isPicture(value: unknown): boolean {
  return typeof value === 'string' && value.length <= longestPicture && isAddress.test(value)
}

function listOf(value: unknown, fits: (item: Readonly<Record<string, unknown>>) => boolean): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => isRecord(item) && fits(item)) : []
}
