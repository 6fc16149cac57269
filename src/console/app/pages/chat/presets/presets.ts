import { batch, signal } from '@preact/signals'
import type { ConversationSettings } from '../../../../../core/chat/conversation.ts'
import type { ChatParameters, ChatPreset, ChatPresets } from '../../../../../core/chat/preset.ts'
import type { PresetList, PresetUpdate, StandardPreset } from '../../../../contract/presets.ts'
import { makeId } from '../../../browser/make-id.ts'
import { request, send } from '../../../interface/request.ts'
import { storedSignal } from '../../../state/stored.ts'
import { changeChatSettings, chatSettings, defaultChatParameters } from '../chat-settings.ts'

const base = '/console/api/presets'

/** The stored presets; null before the first answer. */
export const presets = signal<ChatPresets | null>(null)
/** The chosen preset; empty = none. After its first visit, a browser applies the default preset only to new conversations. */
const choice = storedSignal('preset', { id: '', begun: false })

/** The chosen preset, or null. */
export function chosenPreset(): ChatPreset | null {
  return presets.value?.presets.find(({ id }) => id === choice.value.id) ?? null
}

/** Whether the settings differ from a preset. */
export function differs({ parameters }: ChatPreset): boolean {
  return !isEqual(parameters, parametersNow())
}

/** Loads the stored presets. On its first visit, a browser gets the default preset. */
export async function loadPresets(abort?: AbortSignal): Promise<void> {
  presets.value = await request<PresetList>(base, { signal: abort })
  if (!choice.value.begun) beginWithStandard()
}

/** Applies a preset's parameters, or for null the service's defaults; the model stays. */
export function applyPreset(preset: ChatPreset | null): void {
  choice.value = { id: preset?.id ?? '', begun: true }
  changeChatSettings({ ...defaultChatParameters, ...preset?.parameters })
}

/** Applies the default preset, if there is one, to a new conversation. */
export function beginWithStandard(): void {
  const standard = presets.value?.presets.find(({ id }) => id === presets.value?.standard)
  if (standard !== undefined) applyPreset(standard)
  else choice.value = { ...choice.value, begun: true }
}

/** Stores the settings as a new preset and chooses it. */
export async function savePreset(name: string): Promise<void> {
  const preset = { id: makeId(), name, parameters: parametersNow() }
  await keepPreset(preset)
  choice.value = { id: preset.id, begun: true }
}

/** Replaces a preset's parameters by the current settings. */
export async function updatePreset(preset: ChatPreset): Promise<void> {
  await keepPreset({ ...preset, parameters: parametersNow() })
}

/** Stores a preset. */
export async function keepPreset({ id, ...body }: ChatPreset): Promise<void> {
  await send(`${base}/${id}`, { method: 'PUT', body: body satisfies PresetUpdate })
  await loadPresets()
}

/**
 * Deletes a preset.
 *
 * @returns a function that restores it.
 */
export async function removePreset(preset: ChatPreset): Promise<() => Promise<void>> {
  const wasStandard = presets.peek()?.standard === preset.id
  await send(`${base}/${preset.id}`, { method: 'DELETE' })
  await loadPresets()
  return async () => {
    await keepPreset(preset)
    if (wasStandard) await setStandardPreset(preset)
  }
}

/** Sets the preset of new conversations; null = none. */
export async function setStandardPreset(preset: ChatPreset | null): Promise<void> {
  await send(base, { method: 'PUT', body: (preset === null ? {} : { standard: preset.id }) satisfies StandardPreset })
  await loadPresets()
}

/** The settings of the next answer, in the format that a conversation stores. */
export function settingsNow(): ConversationSettings {
  const { id } = choice.value
  return { model: chatSettings.value.model, parameters: parametersNow(), ...(id !== '' && { preset: id }) }
}

/** Shows the settings of a conversation. */
export function showSettings({ model, parameters, preset = '' }: ConversationSettings): void {
  batch(() => {
    choice.value = { ...choice.value, id: preset }
    changeChatSettings({ ...defaultChatParameters, ...parameters, model })
  })
}

function parametersNow(): ChatParameters {
  const { model: _, limited, loras, ...parameters } = chatSettings.value
  return { ...parameters, ...(limited && { limited }), ...(loras.length > 0 && { loras }) }
}

/** Whether two conversations have the same settings. */
export function isSame({ model, parameters, preset }: ConversationSettings, other: ConversationSettings | null): boolean {
  if (other === null || model !== other.model || preset !== other.preset) return false
  return isEqual(parameters, other.parameters)
}

/** Whether parameters are the same; absent ones count as their defaults. */
function isEqual(one: ChatParameters, other: ChatParameters): boolean {
  const others: ChatParameters = { ...defaultChatParameters, ...other }
  return Object.entries({ ...defaultChatParameters, ...one }).every(
    ([name, value]) => JSON.stringify(others[name as keyof ChatParameters]) === JSON.stringify(value),
  )
}
