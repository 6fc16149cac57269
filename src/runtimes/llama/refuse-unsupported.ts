import { ServiceError } from '../../core/error.ts'
import type { TextRequest } from '../../core/text-generation.ts'
import type { Vocabulary } from './vocabulary.ts'

/** @throws {ServiceError} naming the first parameter that this engine cannot honour. */
export function refuseUnsupported(request: TextRequest, vocabulary: Vocabulary): void {
  if (request.responseFormat.type !== 'text') throw unsupported('response_format')
  if (request.input.type === 'chat' && request.input.tools.length > 0) throw unsupported('tools')
  for (const token of request.sampling.logitBias.keys())
    if (!Number.isInteger(token) || token < 0 || token >= vocabulary.size)
      throw new ServiceError(
        'invalid_request_error',
        `logit_bias names token ${token}; this model's tokens are 0 to ${vocabulary.size - 1}.`,
        {
          param: 'logit_bias',
        },
      )
}

function unsupported(param: string): ServiceError {
  return new ServiceError('unsupported_parameter', `This model cannot honour ${param}; leave it out.`, { param })
}
