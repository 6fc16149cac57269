import Type from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { listedModels } from '../../../core/find-descriptor.ts'
import type { TextModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import { didYouMean } from '../../../core/text/nearest-name.ts'
import type { TextRequest, TokenizeRequest } from '../../../core/text-generation.ts'

/** The field `model` of routes that generate text. */
export const textModelField = Type.String({ minLength: 1, description: 'A model of kind text, see /v1/models.' })

/** The use of a text model: generate, generate from pictures, embed, rank, or only tokenize. */
export type TextModelUse = 'generate' | 'look' | 'embed' | 'rank' | 'read'

/**
 * The text model of that name.
 *
 * @param use The intended use.
 * @throws {ServiceError} `model_not_found`, with the installed names or why the file of that name is unusable; `unsupported_parameter` for a
 * model of another use.
 */
export function requireTextModel(catalog: ModelCatalog, id: string, use: TextModelUse): TextModelDescriptor {
  const found = catalog.find(id)
  const named = JSON.stringify(shortName(id))
  if (found?.kind === 'text') {
    if (does(found, use)) return found
    if (use === 'look' && found.blindness !== undefined)
      throw new ServiceError('unsupported_parameter', `The model ${named} cannot read images: ${found.blindness}.`, { param: 'messages' })
    throw new ServiceError('unsupported_parameter', `The model ${named} ${lacks[use]}.`, { param: use === 'look' ? 'messages' : 'model' })
  }
  const unusable = found === undefined ? catalog.findUnusable(id) : undefined
  if (unusable !== undefined) throw new ServiceError('model_not_found', `${named} ${unusable.reason}.`, { param: 'model' })
  if (found === undefined && catalog.findAsset('adapter', id) !== undefined)
    throw new ServiceError('model_not_found', `${named} is a LoRA adapter; name its model in \`model\`, and the adapter in \`lora\`.`, {
      param: 'model',
    })
  const names = listedModels(catalog).filter((model) => model.kind === 'text' && does(model, use))
  const known = names.length === 0 ? 'none is installed' : `use one of: ${names.map((model) => model.id).join(', ')}`
  const near = didYouMean(
    id,
    names.map((model) => model.id),
  )
  throw new ServiceError('model_not_found', `There is no text model named ${named}; ${known}.${near}`, { param: 'model' })
}

/** Ends of sentences that begin with a model's name. */
const lacks: Readonly<Record<TextModelUse, string>> = {
  generate: 'does not generate text, only embeddings or scores; use one that does',
  look: 'cannot read images; send only text, or use one that has an mmproj file beside it, or whose model.json sets "vision"',
  embed: 'does not make embeddings; use one that does, or set "embeddings" in its model.json',
  rank: 'cannot rank texts; use a reranker, or set "ranks" in the model.json of a server that is one',
  read: 'reads nothing',
}

/** Limit of an answer without one, for a remote model of unknown context. */
const tokensElsewhere = 32_768

/** Limit of an answer without one: the rest of the model's context. */
export function longestAnswer({ contextLength, trainedLength, format }: TextModelDescriptor): number {
  return format === 'gguf' ? (contextLength ?? trainedLength ?? tokensElsewhere) : tokensElsewhere
}

/** Tokens that each answer of a request may have; without a limit, the rest of the model's context. */
export function mostTokens({ maxTokens, maxTokensIsDefault }: TextRequest, model: TextModelDescriptor): number {
  return maxTokensIsDefault === true ? Math.min(maxTokens, longestAnswer(model)) : maxTokens
}

/** The use that an input requires: `look` when a message has a picture. */
export function useOf(input: TextRequest['input'] | TokenizeRequest['input'], otherwise: TextModelUse): TextModelUse {
  return input.type === 'chat' && input.messages.some((message) => 'parts' in message) ? 'look' : otherwise
}

function does({ embeddings, generates = true, ranks = false, vision = false }: TextModelDescriptor, use: TextModelUse): boolean {
  if (use === 'read') return true
  if (use === 'rank') return ranks
  if (use === 'look') return generates && vision
  return use === 'generate' ? generates : embeddings
}

/**
 * The text model of a request, which may omit its name when there is only one.
 *
 * @throws {ServiceError} as {@link requireTextModel}, and `invalid_request_error` when the name is missing and there are several.
 */
export function chooseTextModel(catalog: ModelCatalog, id: string | undefined, use: TextModelUse = 'read'): TextModelDescriptor {
  const names = listedModels(catalog)
    .filter((model) => model.kind === 'text')
    .filter((model) => does(model, use))
  const [only] = names
  if (id === undefined && only !== undefined && names.length === 1) return only
  if (id === undefined && only === undefined)
    throw new ServiceError('model_not_found', 'No installed model can do this; install one and name it in `model`.', { param: 'model' })
  if (id === undefined)
    throw new ServiceError('invalid_request_error', `\`model\` is required; use one of: ${names.map((model) => model.id).join(', ')}.`, {
      param: 'model',
    })
  return requireTextModel(catalog, id, use)
}
