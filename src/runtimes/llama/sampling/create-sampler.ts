import type { NativeSampler, NativeSamplerConfig } from '../binding/native-binding.ts'
import type { ModelFile } from '../binding/open-model-file.ts'

/** A sampler in native memory; whoever asked for it disposes it. */
export function createSampler({ binding, native }: ModelFile, config: NativeSamplerConfig): NativeSampler {
  const sampler = new binding.AddonSampler(native)
  sampler.applyConfig(config)
  return sampler
}
