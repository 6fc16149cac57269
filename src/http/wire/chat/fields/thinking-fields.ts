import Type from 'typebox'
import { defined } from '../../../../core/defined.ts'
import type { FieldFault } from '../../../../core/error.ts'
import { type ChatInput, reasoningEfforts } from '../../../../core/text-generation.ts'
import { type BodyOf, closed } from '../../../faults/object-schema.ts'
import { fieldFault } from '../../../faults/refuse-faults.ts'

const switched = (description: string) => Type.Optional(Type.Boolean({ description }))
const effort = (description: string) => Type.Optional(Type.Enum([...reasoningEfforts], { description }))
const budget = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description }))

/** The reasoning of a model, in the fields of OpenAI, Qwen, vLLM, llama.cpp, DeepSeek and OpenRouter. */
export const thinkingFields = {
  reasoning_effort: effort(
    'How long a reasoning model thinks before it answers; its reasoning is returned as `reasoning_content`. A model that can only be turned on or off gets a share of the limit: minimal 10 %, low 20 %, medium 50 %, high 80 %, xhigh and max 95 %.',
  ),
  thinking_budget: budget('Maximum number of reasoning tokens per answer; then the answer begins.'),
  thinking_budget_tokens: budget("llama.cpp's name for `thinking_budget`."),
  thinking_token_budget: budget("vLLM's name for `thinking_budget`."),
  enable_thinking: switched('Whether the model reasons; by default the template decides.'),
  thinking: Type.Optional(
    closed(
      { type: Type.Enum(['enabled', 'disabled', 'adaptive', 'auto']), budget_tokens: budget('The same as `thinking_budget`.') },
      { description: '`enable_thinking` and `thinking_budget` as in the interfaces of DeepSeek, GLM and Kimi.' },
    ),
  ),
  reasoning: Type.Optional(
    closed(
      {
        effort: effort('The same as `reasoning_effort`.'),
        max_tokens: budget('The same as `thinking_budget`.'),
        enabled: switched('The same as `enable_thinking`.'),
        exclude: Type.Optional(Type.Literal(false)),
      },
      { description: "`reasoning_effort`, `thinking_budget` and `enable_thinking` as in OpenRouter's interface." },
    ),
  ),
  chat_template_kwargs: Type.Optional(
    closed(
      {
        enable_thinking: switched('The same as the field of that name.'),
        thinking: switched('The same; the name that other templates use.'),
        reasoning_effort: effort('The same as the field of that name.'),
      },
      { description: 'Arguments for the chat template; only those about reasoning.' },
    ),
  ),
}

type ThinkingBody = BodyOf<typeof thinkingFields>

const budgets = ['thinking_budget', 'thinking_budget_tokens', 'thinking_token_budget'] as const

/** Finds fields that contradict each other, and an effort although reasoning is off. */
export function findThinkingFaults(body: ThinkingBody): readonly FieldFault[] {
  const { switches, efforts, limits } = gather(body)
  return [
    ...findContradiction(limits),
    ...findContradiction(efforts),
    ...findContradiction([...switches, ...efforts.map(([name, requested]) => [name, requested !== 'none'] as const)]),
  ]
}

/** The reasoning options of a body. */
export function readThinking(body: ThinkingBody): Pick<ChatInput, 'effort' | 'thinks' | 'thoughtTokens'> {
  const { switches, efforts, limits } = gather(body)
  const [[, requested] = [], [, thinks] = [], [, thoughtTokens] = []] = [efforts[0], switches[0], limits[0]]
  return defined({ effort: requested, thinks, thoughtTokens })
}

type Said<Value> = readonly (readonly [name: string, value: Value])[]

interface Options {
  readonly switches: Said<boolean>
  readonly efforts: Said<(typeof reasoningEfforts)[number]>
  readonly limits: Said<number>
}

const names = Object.keys(thinkingFields)
const none: Options = { switches: [], efforts: [], limits: [] }

function gather(given: ThinkingBody): Options {
  if (!names.some((name) => Object.hasOwn(given, name))) return none
  const { chat_template_kwargs: templateArguments = {}, thinking, reasoning = {}, ...body } = given
  const said = <Value>(name: string, value: Value | undefined): Said<Value> => (value === undefined ? [] : [[name, value]])
  const isOn = { enabled: true, disabled: false, adaptive: undefined, auto: undefined }[thinking?.type ?? 'auto']
  return {
    switches: [
      ...said('thinking.type', isOn),
      ...said('reasoning.enabled', reasoning.enabled),
      ...said('enable_thinking', body.enable_thinking),
      ...said('chat_template_kwargs.enable_thinking', templateArguments.enable_thinking),
      ...said('chat_template_kwargs.thinking', templateArguments.thinking),
    ],
    efforts: [
      ...said('reasoning_effort', body.reasoning_effort),
      ...said('reasoning.effort', reasoning.effort),
      ...said('chat_template_kwargs.reasoning_effort', templateArguments.reasoning_effort),
    ],
    limits: [
      ...budgets.flatMap((name) => said(name, body[name])),
      ...said('thinking.budget_tokens', thinking?.budget_tokens),
      ...said('reasoning.max_tokens', reasoning.max_tokens),
    ],
  }
}

function findContradiction([first, ...others]: Said<unknown>): readonly FieldFault[] {
  const other = others.find(([, value]) => value !== first?.[1])
  if (first === undefined || other === undefined) return []
  return [fieldFault(other[0].split('.'), `contradicts \`${first[0]}\`; send one of them.`)]
}
