import { randomInt } from 'node:crypto'
import Type, { type Static, type TNumber, type TObject, type TOptional } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { SamplingParameters } from '../../../core/text-generation.ts'
import { integerField, numberField, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

/** Fields that limit the choice of each token, alike in every interface that has them. */
export const topFields = optional({
  top_p: numberField(0, 1, 'Samples only from the most likely tokens with this total probability.', 1),
  top_k: integerField(-1, 1_000_000, 'Samples only from this many tokens; 0 or -1 = off.', 0),
})

const likelihoodFields = {
  ...optional({ temperature: numberField(0, 2, 'Randomness; 0 always picks the most likely token.', 1) }),
  ...topFields,
  ...optional({ min_p: numberField(0, 1, "Drops tokens below this share of the most likely one's probability; 0 = off.", 0) }),
}

const otherFields = optional({
  repetition_penalty: Type.Number({
    exclusiveMinimum: 0,
    maximum: 2,
    default: 1,
    description: 'Divides the score of tokens seen before; 1 = off.',
  }),
  repeat_penalty: Type.Number({
    exclusiveMinimum: 0,
    maximum: 2,
    description: "llama.cpp's name for repetition_penalty; send one of them.",
  }),
  seed: integerField(
    -Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER,
    'The same seed gives the same text; its low 32 bits count. Random by default.',
  ),
  logit_bias: Type.Record(Type.String({ pattern: '^(0|[1-9][0-9]{0,6})$' }), Type.Number({ minimum: -100, maximum: 100 }), {
    additionalProperties: false,
    maxProperties: 1024,
    description: 'Added to the scores of tokens, by token id in plain digits.',
  }),
})

type Penalty = TOptional<TNumber>

/** The sampling fields that chat and plain completions share, in the order of the documentation. */
export type SamplingFields = typeof likelihoodFields & { frequency_penalty: Penalty; presence_penalty: Penalty } & typeof otherFields

/** The settings that affect the bodies of text requests. */
export interface BodySettings {
  /** The bounds of `frequency_penalty` and `presence_penalty`. */
  readonly penalties: { readonly minimum: number; readonly maximum: number }
}

/** The bodies of the published interface. */
export const publishedBodies: BodySettings = { penalties: { minimum: 0, maximum: 1 } }

/** OpenAI's bounds of penalties. */
export const widePenalties: BodySettings['penalties'] = { minimum: -2, maximum: 2 }

/** The sampling fields, with the settings' bounds of penalties. */
export function samplingFields({ penalties }: BodySettings): SamplingFields {
  const penalty = { ...penalties, default: 0 }
  return {
    ...likelihoodFields,
    frequency_penalty: Type.Optional(Type.Number({ ...penalty, description: 'Penalises tokens by how often they have appeared.' })),
    presence_penalty: Type.Optional(Type.Number({ ...penalty, description: 'Penalises tokens that have appeared.' })),
    ...otherFields,
  }
}

type SamplingBody = Static<TObject<SamplingFields>>

/** Finds two names with different values. */
export function findSamplingFaults({ repetition_penalty: one, repeat_penalty: other }: SamplingBody): readonly FieldFault[] {
  if (one === undefined || other === undefined || one === other) return []
  return [fieldFault('repeat_penalty', 'contradicts `repetition_penalty`; send one of them.')]
}

/** Fills in every default. A missing seed is drawn here, so that a stored request always means the same. */
export function readSampling(body: SamplingBody): SamplingParameters {
  return {
    temperature: body.temperature ?? 1,
    topP: body.top_p ?? 1,
    topK: Math.max(0, body.top_k ?? 0),
    minP: body.min_p ?? 0,
    frequencyPenalty: body.frequency_penalty ?? 0,
    presencePenalty: body.presence_penalty ?? 0,
    repetitionPenalty: body.repetition_penalty ?? body.repeat_penalty ?? 1,
    seed: body.seed === undefined ? randomInt(2 ** 32) : Number(BigInt.asUintN(32, BigInt(body.seed))),
    logitBias: new Map(Object.entries(body.logit_bias ?? {}).map(([token, bias]) => [Number(token), bias])),
  }
}
