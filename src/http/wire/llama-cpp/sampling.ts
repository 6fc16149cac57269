import { randomInt } from 'node:crypto'
import Type, { type Static, type TObject } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { SamplingParameters } from '../../../core/text-generation.ts'
import { integerField, numberField, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { type BodySettings, type SamplingFields, samplingFields } from '../chat/sampling-fields.ts'
import { tokenId } from '../tokens/token-ids.ts'

/** The sampling defaults of llama.cpp's server. */
export const usualSampling = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 } as const

const share = (standard: number, description: string) => Type.Number({ minimum: 0, maximum: 1, default: standard, description })

const biasKey = Type.Union([tokenId, Type.String({ minLength: 1, maxLength: 1000 })])
const bias = Type.Union([Type.Number({ minimum: -100, maximum: 100 }), Type.Literal(false)])
const maxBiases = 1024

/** Sepia's samplers, in order. */
const samplerOrder: readonly string[] = ['penalties', 'top_k', 'top_p', 'min_p', 'temperature']

const ownFields = optional({
  samplers: Type.Array(Type.String({ maxLength: 100 }), {
    maxItems: 64,
    description: `Samplers that are used; those of ${samplerOrder.join(', ')} stand in this order. Others are off.`,
  }),
  temperature: numberField(0, 2, 'Randomness; 0 always picks the most likely token.', usualSampling.temperature),
  top_k: integerField(-1, 1_000_000, 'Samples only from this many tokens; 0 and -1 = off.', usualSampling.topK),
  top_p: share(usualSampling.topP, 'Samples only from the most likely tokens with this total probability.'),
  min_p: share(usualSampling.minP, "Drops tokens below this share of the most likely one's probability; 0 = off."),
  seed: integerField(-1, 2 ** 32 - 1, 'The same seed gives the same text; -1 = random.', -1),
  logit_bias: Type.Union(
    [
      Type.Array(Type.Tuple([biasKey, bias]), { maxItems: maxBiases }),
      Type.Record(Type.String({ minLength: 1, maxLength: 1000 }), bias, { maxProperties: maxBiases }),
    ],
    {
      description:
        'Added to the scores of tokens: pairs or an object of token ids, or of texts, which apply to all their tokens; false = never.',
    },
  ),
  repeat_last_n: integerField(
    -1,
    2 ** 31 - 1,
    'Penalties count in the whole context, which is -1; 0 = no penalties; another number only without penalties.',
  ),
})

/** The sampling fields of llama.cpp's server, with its defaults. */
export function nativeSamplingFields(settings: BodySettings): NativeSamplingFields {
  const { frequency_penalty, presence_penalty, repeat_penalty } = samplingFields(settings)
  return { ...ownFields, frequency_penalty, presence_penalty, repeat_penalty }
}

type NativeSamplingFields = typeof ownFields & Pick<SamplingFields, 'frequency_penalty' | 'presence_penalty' | 'repeat_penalty'>
type NativeSamplingBody = Static<TObject<NativeSamplingFields>>

/** A token or the tokens of a text, and the value that is added to their scores. */
export interface TokenBias {
  readonly of: number | string
  readonly bias: number
}

/** Finds another order of samplers, and penalties over less than the context. */
export function findNativeSamplingFaults(body: NativeSamplingBody): readonly FieldFault[] {
  return [...findOrderFaults(body), ...findPenaltyFaults(body)]
}

function findOrderFaults({ samplers = [] }: NativeSamplingBody): readonly FieldFault[] {
  const places = samplers.map((name) => samplerOrder.indexOf(name)).filter((place) => place >= 0)
  if (places.every((place, i) => place > (places[i - 1] ?? -1))) return []
  return [fieldFault('samplers', `must be in the order ${samplerOrder.join(', ')}; other names are ignored.`, 'unsupported_parameter')]
}

function findPenaltyFaults(body: NativeSamplingBody): readonly FieldFault[] {
  const { repeat_last_n: last = -1, repeat_penalty: repeated = 1, frequency_penalty = 0, presence_penalty = 0 } = body
  if (last === -1 || last === 0 || (repeated === 1 && frequency_penalty === 0 && presence_penalty === 0)) return []
  return [fieldFault('repeat_last_n', 'must be -1 or 0 beside a penalty: it counts in the whole context.', 'unsupported_parameter')]
}

/** Fills in llama.cpp's defaults. Biases are read separately, because texts among them must be tokenized first. */
export function readNativeSampling(body: NativeSamplingBody): SamplingParameters {
  const { seed = -1, top_k: most = usualSampling.topK } = body
  const uses = (sampler: string): boolean => body.samplers?.includes(sampler) ?? true
  const penalties: Partial<NativeSamplingBody> = body.repeat_last_n === 0 || !uses('penalties') ? {} : body
  return {
    temperature: uses('temperature') ? (body.temperature ?? usualSampling.temperature) : 1,
    topP: uses('top_p') ? (body.top_p ?? usualSampling.topP) : 1,
    topK: uses('top_k') ? Math.max(0, most) : 0,
    minP: uses('min_p') ? (body.min_p ?? usualSampling.minP) : 0,
    frequencyPenalty: penalties.frequency_penalty ?? 0,
    presencePenalty: penalties.presence_penalty ?? 0,
    repetitionPenalty: penalties.repeat_penalty ?? 1,
    seed: seed === -1 ? randomInt(2 ** 32) : seed,
    logitBias: new Map(),
  }
}

/** The changes of scores. */
export function readBiases({ logit_bias: given = [] }: NativeSamplingBody): readonly TokenBias[] {
  const pairs = Array.isArray(given) ? given : Object.entries(given)
  return pairs.map(([key, added]) => ({ of: asToken(key), bias: added === false ? -100 : added }))
}

/** Keys of objects are texts, even when they are token ids. */
function asToken(key: number | string): number | string {
  return typeof key === 'string' && /^(?:0|[1-9][0-9]{0,8})$/.test(key) ? Number(key) : key
}
