import { keepCompiledCode, useCompileCache } from './compile-cache.ts'

useCompileCache()
const { loadDiffusionModel } = await import('../runtimes/diffusion/load-diffusion-model.ts')
const { serveImageEngine } = await import('../runtimes/process/serve-image-engine.ts')

serveImageEngine(async (descriptor, options) => {
  const model = await loadDiffusionModel(descriptor, options)
  keepCompiledCode()
  return model
})
