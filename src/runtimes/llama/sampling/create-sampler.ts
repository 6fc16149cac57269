import type { NativeSampler, NativeSamplerConfig } from '../binding/native-binding.ts'
import type { ModelFile } from '../binding/open-model-file.ts'

export function createSampler({ binding, native }: ModelFile, config: NativeSamplerConfig): NativeSampler {
  const sampler = new binding.AddonSampler(native)
  sampler.applyConfig(config)
  return sampler
}
