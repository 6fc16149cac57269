import type { ChatParameters } from '../../../../core/chat/preset.ts'
import { defined } from '../../../../core/defined.ts'
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
  const changed = <Name extends keyof ChatSettings>(name: Name) =>
    settings[name] === defaultChatSettings[name] ? undefined : settings[name]
  const limit = tokenLimit(settings)
  const { tools } = readTools(settings.tools)
  const { schema } = readSchema(settings)
  // Before the models are known, the service checks them.
  const loras = settings.loras.filter(({ name }) => models.value === null || adaptersOf(settings.model).includes(name))
  const stop = settings.stop.split('\n').filter((line) => line !== '')
  const format = schema
    ? { type: 'json_schema' as const, json_schema: { name: 'answer', schema, strict: true } }
    : settings.format === 'json'
      ? { type: 'json_object' as const }
      : undefined
  return {
    model: settings.model,
    messages: [...(settings.system.trim() ? [{ role: 'system' as const, content: settings.system }] : []), ...messages],
    ...defined({
      max_tokens: limit === 0 ? undefined : limit,
      temperature: changed('temperature'),
      top_p: changed('topP'),
      top_k: changed('topK'),
      min_p: changed('minP'),
      frequency_penalty: changed('frequencyPenalty'),
      presence_penalty: changed('presencePenalty'),
      repetition_penalty: changed('repetitionPenalty'),
      seed: settings.seed === '' ? undefined : readNumber(settings.seed),
      stop: stop.length > 0 ? stop : undefined,
      response_format: format,
      tools: tools.length > 0 ? [...tools] : undefined,
      tool_choice: tools.length > 0 && settings.toolChoice === 'required' ? 'required' : undefined,
      lora: loras.length > 0 ? loras.map(({ name, weight }) => ({ name, scale: weight })) : undefined,
    }),
  }
}
