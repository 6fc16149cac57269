import type { ChatParameters } from '../../../../core/chat/preset.ts'
import { maxLoras } from '../../../../core/images/lora.ts'
import type { ChatBody } from '../../../../http/wire/chat/chat-request.ts'
import { readNumber } from '../../parts/fields/read-number.ts'
import { chatModels, models } from '../../state/models.ts'
import { storedSignal } from '../../state/stored.ts'
import type { ChatMessage } from './message-text.ts'
import { readSchema } from './structure/read-schema.ts'
import { readTools } from './structure/read-tools.ts'

/** The settings beside the conversation. Values equal to the service's defaults are not sent. */
export interface ChatSettings extends ChatParameters {
  readonly model: string
  readonly limited: boolean
  readonly loras: NonNullable<ChatParameters['loras']>
}

/** The stored `maxTokens` of no limit. */
const unlimited = 512

export const defaultChatParameters: Omit<ChatSettings, 'model'> = {
  system: '',
  maxTokens: unlimited,
  limited: false,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
  seed: '',
  stop: '',
  format: 'text',
  schema: '',
  tools: '',
  toolChoice: 'auto',
  loras: [],
}

export const defaultChatSettings: ChatSettings = { ...defaultChatParameters, model: '' }

/** This browser's settings, stored between visits. */
export const chatSettings = storedSignal('chat', defaultChatSettings)

/** Changes some settings and keeps the others. */
export function changeChatSettings(change: Partial<ChatSettings>): void {
  chatSettings.value = { ...chatSettings.value, ...change }
}

/** Maximum tokens of an answer; 0 = as many as the context holds. */
export function tokenLimit({ maxTokens, limited }: Pick<ChatSettings, 'maxTokens' | 'limited'>): number {
  return maxTokens === unlimited && !limited ? 0 : maxTokens
}

/** The settings for a {@link tokenLimit}. */
export function limitedTo(limit: number): Pick<ChatSettings, 'maxTokens' | 'limited'> {
  return { maxTokens: limit === 0 ? unlimited : limit, limited: limit === unlimited }
}

/** Chooses a model; an answer cannot be longer than its context. */
export function chooseChatModel(model: string): void {
  const longest = chatModels().find(({ id }) => id === model)?.contextLength ?? Number.POSITIVE_INFINITY
  changeChatSettings({ model, ...limitedTo(Math.min(tokenLimit(chatSettings.value), longest)) })
}

/** The names of the LoRA adapters that fit a model. */
export function adaptersOf(model: string): readonly string[] {
  return chatModels().find(({ id }) => id === model)?.adapters ?? []
}

/** Sets the LoRAs. Those that do not fit the model stay as long as there is room. */
export function chooseLoras(loras: ChatSettings['loras']): void {
  const fits = new Set(adaptersOf(chatSettings.value.model))
  const [own, others] = [loras.filter(({ name }) => fits.has(name)), loras.filter(({ name }) => !fits.has(name))]
  changeChatSettings({ loras: [...others, ...own].slice(-maxLoras) })
}

/** The request for a conversation with these settings. */
export function chatRequestBody(settings: ChatSettings, messages: readonly ChatMessage[]): ChatBody {
  const defaults = defaultChatSettings
  const limit = tokenLimit(settings)
  const { tools } = readTools(settings.tools)
  const { schema } = readSchema(settings)
  // Before the models are known, the service checks them.
  const loras = settings.loras.filter(({ name }) => models.value === null || adaptersOf(settings.model).includes(name))
  const stop = settings.stop.split('\n').filter((line) => line !== '')
  return {
    model: settings.model,
    messages: [...(settings.system.trim() ? [{ role: 'system' as const, content: settings.system }] : []), ...messages],
    ...(limit !== 0 && { max_tokens: limit }),
    ...(settings.temperature !== defaults.temperature && { temperature: settings.temperature }),
    ...(settings.topP !== defaults.topP && { top_p: settings.topP }),
    ...(settings.topK !== defaults.topK && { top_k: settings.topK }),
    ...(settings.minP !== defaults.minP && { min_p: settings.minP }),
    ...(settings.frequencyPenalty !== defaults.frequencyPenalty && { frequency_penalty: settings.frequencyPenalty }),
    ...(settings.presencePenalty !== defaults.presencePenalty && { presence_penalty: settings.presencePenalty }),
    ...(settings.repetitionPenalty !== defaults.repetitionPenalty && { repetition_penalty: settings.repetitionPenalty }),
    ...(settings.seed !== '' && { seed: readNumber(settings.seed) }),
    ...(stop.length > 0 && { stop }),
    ...(settings.format === 'json' && { response_format: { type: 'json_object' as const } }),
    ...(schema && { response_format: { type: 'json_schema' as const, json_schema: { name: 'answer', schema, strict: true } } }),
    ...(tools.length > 0 && { tools: [...tools] }),
    ...(tools.length > 0 && settings.toolChoice === 'required' && { tool_choice: 'required' as const }),
    ...(loras.length > 0 && { lora: loras.map(({ name, weight }) => ({ name, scale: weight })) }),
  }
}
