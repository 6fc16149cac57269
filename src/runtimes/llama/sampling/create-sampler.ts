import { ServiceError } from '../../../core/error.ts'
import type { NativeGrammarState, NativeSampler, NativeSamplerConfig } from '../binding/native-binding.ts'
import type { ModelFile } from '../binding/open-model-file.ts'

export function createSampler({ binding, native }: ModelFile, config: NativeSamplerConfig): NativeSampler {
  const sampler = new binding.AddonSampler(native)
  sampler.applyConfig(config)
  return sampler
}

/** @throws {ServiceError} `unsupported_parameter` when llama.cpp cannot parse the grammar. */
export function createGrammarState({ binding, native }: ModelFile, grammar: string): NativeGrammarState {
  try {
    const parsed = new binding.AddonGrammar(grammar, { addonExports: binding, rootRuleName: 'root' })
    return new binding.AddonGrammarEvaluationState(native, parsed)
  } catch (cause) {
    const message = 'The JSON schema makes a grammar that cannot be followed; remove references that lead back to themselves at once.'
    throw new ServiceError('unsupported_parameter', message, { param: 'response_format', cause })
  }
}
