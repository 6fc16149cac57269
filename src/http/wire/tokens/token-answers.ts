import Type from 'typebox'
import type { TokenizeResult } from '../../../core/text-generation.ts'
import { optional } from '../../faults/object-schema.ts'

const tokens = Type.Array(Type.Integer())
const piece = Type.Object({ id: Type.Integer(), piece: Type.Union([Type.String(), Type.Array(Type.Integer())]) })

/** The answer of POST /tokenize: in llama.cpp's format for `content`, otherwise in vLLM's. */
export const tokenizedSchema = Type.Object({
  tokens: Type.Union([tokens, Type.Array(piece)], {
    description: 'Ids; with `with_pieces`, each with its text, or its bytes if they are not text.',
  }),
  ...optional({
    count: Type.Integer(),
    max_model_len: Type.Union([Type.Integer(), Type.Null()], { description: "Tokens of the model's context; null = not known." }),
    token_strs: Type.Union([Type.Array(Type.String()), Type.Null()]),
  }),
})

/** The answer of POST /detokenize. */
export const detokenizedSchema = Type.Object({
  content: Type.String({ description: "The text; llama.cpp's name." }),
  prompt: Type.String({ description: "The same; vLLM's name." }),
})

/** The answer of POST /v1/chat/completions/input_tokens. */
export const inputTokensSchema = Type.Object({ object: Type.Literal('response.input_tokens'), input_tokens: Type.Integer() })

/** Tokens in llama.cpp's format. */
export function encodePieces({ tokens: ids, spellings }: TokenizeResult): object {
  if (spellings === null) return { tokens: ids }
  const pieces = spellOnce(ids, spellings, spell)
  return { tokens: ids.map((id, index) => ({ id, piece: pieces[index] })) }
}

/** Tokens in vLLM's format. */
export function encodeTokens({ tokens: ids, spellings }: TokenizeResult, contextLength: number | undefined): object {
  const strings = spellings === null ? null : spellOnce(ids, spellings, (bytes) => Buffer.from(bytes).toString('utf8'))
  return { count: ids.length, max_model_len: contextLength ?? null, tokens: ids, token_strs: strings }
}

/** Spells every token with `write`, which is called once per distinct token: an incomplete character takes as long as a thousand others. */
function spellOnce<Written>(
  ids: readonly number[],
  spellings: readonly Uint8Array[],
  write: (bytes: Uint8Array) => Written,
): readonly Written[] {
  const known = new Map<number, Written>()
  return ids.map((id, index) => {
    const written = known.get(id) ?? write(spellings[index] ?? new Uint8Array())
    known.set(id, written)
    return written
  })
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A token's text, or its bytes when they are not whole characters. */
function spell(bytes: Uint8Array): string | readonly number[] {
  try {
    return strict.decode(bytes)
  } catch {
    return [...bytes]
  }
}
