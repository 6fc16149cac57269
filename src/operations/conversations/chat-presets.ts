import type { ChatPreset, ChatPresets } from '../../core/chat/preset.ts'
import { plainDocument } from '../../core/document.ts'
import { ServiceError } from '../../core/error.ts'
import type { Abortable } from '../../core/waiting.ts'
import { type DocumentDependencies, documentsFull } from '../account-documents.ts'

const maxPresets = 100
const nothing: ChatPresets = { presets: [], standard: null }

/** The presets of an account. */
export async function listChatPresets(
  { documents }: Pick<DocumentDependencies, 'documents'>,
  accountId: string,
  options: Abortable,
): Promise<ChatPresets> {
  const known = await documents.get({ kind: 'preset', id: accountId, accountId }, options)
  return known === null ? nothing : readPresets(known.value)
}

/**
 * Stores a preset, replacing one with the same id. @throws {ServiceError} `quota_exceeded`, `validation_error` if there are already 100.
 */
export async function keepChatPreset(
  deps: DocumentDependencies,
  { accountId, preset }: { readonly accountId: string; readonly preset: ChatPreset },
  options: Abortable,
): Promise<void> {
  await change(deps, accountId, options, ({ presets, standard }) => {
    const others = presets.filter(({ id }) => id !== preset.id)
    if (others.length >= maxPresets)
      throw new ServiceError('validation_error', `An account can have at most ${maxPresets} presets; delete one that you no longer need.`)
    return { presets: [...others, preset].toSorted((a, b) => a.name.localeCompare(b.name)), standard }
  })
}

/** Deletes a preset; ignores a missing one. */
export async function removeChatPreset(
  deps: DocumentDependencies,
  { accountId, id: gone }: { readonly accountId: string; readonly id: string },
  options: Abortable,
): Promise<void> {
  await change(deps, accountId, options, ({ presets, standard }) => ({
    presets: presets.filter(({ id }) => id !== gone),
    standard: standard === gone ? null : standard,
  }))
}

/** Sets the default preset for new conversations; null = none. @throws {ServiceError} `not_found`. */
export async function chooseStandardPreset(
  deps: DocumentDependencies,
  { accountId, id: chosen }: { readonly accountId: string; readonly id: string | null },
  options: Abortable,
): Promise<void> {
  await change(deps, accountId, options, ({ presets }) => {
    if (chosen !== null && !presets.some(({ id }) => id === chosen))
      throw new ServiceError('not_found', 'This preset does not exist; it may have been deleted.')
    return { presets, standard: chosen }
  })
}

/** Applies a change to the stored presets; repeats it after a conflict. */
async function change(
  { documents, clock, maxDocumentBytes: most }: DocumentDependencies,
  accountId: string,
  options: Abortable,
  make: (before: ChatPresets) => ChatPresets,
): Promise<void> {
  for (;;) {
    const known = await documents.get({ kind: 'preset', id: accountId, accountId }, options)
    const { presets, standard } = make(known === null ? nothing : readPresets(known.value))
    const value = { presets: presets.map(({ parameters, ...preset }) => ({ ...preset, parameters: { ...parameters } })), standard }
    const document = { ...plainDocument, kind: 'preset', id: accountId, accountId, value, at: clock.now() } as const
    const result = await documents.put(document, { ...options, version: known?.version ?? null, most })
    if (result === 'full') throw documentsFull(most, 'delete conversations or presets that are no longer needed')
    if (result === 'stored') return
  }
}

/** Only this file writes such documents, so their shape is known. */
function readPresets(value: unknown): ChatPresets {
  return value as ChatPresets
}
