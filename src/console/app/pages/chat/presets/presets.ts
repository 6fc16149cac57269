import { batch, signal } from '@preact/signals'
import type { ConversationSettings } from '../../../../../core/chat/conversation.ts'
import type { ChatParameters, ChatPreset, ChatPresets } from '../../../../../core/chat/preset.ts'
import type { PresetList, PresetUpdate, StandardPreset } from '../../../../contract/presets.ts'
import { makeId } from '../../../browser/make-id.ts'
import { request, send } from '../../../interface/request.ts'
import { storedSignal } from '../../../state/stored.ts'
import { changeChatSettings, chatSettings, defaultChatParameters } from '../chat-settings.ts'

const base = '/console/api/presets'

/** What is kept; null before the first answer. */
export const presets = signal<ChatPresets | null>(null)
/** Which preset the settings come from; empty = none. A browser that has begun takes the default one only for new conversations. */
const choice = storedSignal('preset', { id: '', begun: false })

/** The preset that the settings come from, or null. */
export function chosenPreset(): ChatPreset | null {
  return presets.value?.presets.find(({ id }) => id === choice.value.id) ?? null
}

/** Whether the settings have moved away from a preset since. */
export function differs({ parameters }: ChatPreset): boolean {
  const now = parametersNow()
  return Object.entries(parameters).some(([name, value]) => now[name as keyof ChatParameters] !== value)
}

/** Asks for what is kept; a browser that is new here takes the default preset. */
export async function loadPresets(abort?: AbortSignal): Promise<void> {
  presets.value = await request<PresetList>(base, { signal: abort })
  if (!choice.value.begun) beginWithStandard()
}

/** Takes a preset's parameters, or with null the service's defaults; the model stays. */
export function applyPreset(preset: ChatPreset | null): void {
  choice.value = { id: preset?.id ?? '', begun: true }
  changeChatSettings({ ...defaultChatParameters, ...preset?.parameters })
}

/** What a new conversation begins with: the default preset, where there is one. */
export function beginWithStandard(): void {
  const standard = presets.value?.presets.find(({ id }) => id === presets.value?.standard)
  if (standard !== undefined) applyPreset(standard)
  else choice.value = { ...choice.value, begun: true }
}

/** Keeps the settings as a new preset, which is then the chosen one. */
export async function savePreset(name: string): Promise<void> {
  const preset = { id: makeId(), name, parameters: parametersNow() }
  await keepPreset(preset)
  choice.value = { id: preset.id, begun: true }
}

/** Keeps the settings in place of what a preset held. */
export async function updatePreset(preset: ChatPreset): Promise<void> {
  await keepPreset({ ...preset, parameters: parametersNow() })
}

/** Keeps a preset as it is given. */
export async function keepPreset({ id, ...body }: ChatPreset): Promise<void> {
  await send(`${base}/${id}`, { method: 'PUT', body: body satisfies PresetUpdate })
  await loadPresets()
}

/** Deletes a preset. @returns the way back. */
export async function removePreset(preset: ChatPreset): Promise<() => Promise<void>> {
  const wasStandard = presets.peek()?.standard === preset.id
  await send(`${base}/${preset.id}`, { method: 'DELETE' })
  await loadPresets()
  return async () => {
    await keepPreset(preset)
    if (wasStandard) await setStandardPreset(preset)
  }
}

/** Says which preset new conversations begin with; null = none. */
export async function setStandardPreset(preset: ChatPreset | null): Promise<void> {
  await send(base, { method: 'PUT', body: (preset === null ? {} : { standard: preset.id }) satisfies StandardPreset })
  await loadPresets()
}

/** How the next answer is asked for, as a conversation keeps it. */
export function settingsNow(): ConversationSettings {
  const { id } = choice.value
  return { model: chatSettings.value.model, parameters: parametersNow(), ...(id !== '' && { preset: id }) }
}

/** Shows how a conversation is gone on with. */
export function showSettings({ model, parameters, preset = '' }: ConversationSettings): void {
  batch(() => {
    choice.value = { ...choice.value, id: preset }
    changeChatSettings({ ...defaultChatParameters, ...parameters, model })
  })
}

function parametersNow(): ChatParameters {
  const { model: _, ...parameters } = chatSettings.value
  return parameters
}

/** Whether two conversations are gone on with in the same way. */
export function isSame({ model, parameters, preset }: ConversationSettings, other: ConversationSettings | null): boolean {
  if (other === null || model !== other.model || preset !== other.preset) return false
  return Object.entries(parameters).every(([name, value]) => other.parameters[name as keyof ChatParameters] === value)
}
