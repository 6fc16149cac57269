import { keepCompiledCode, useCompileCache } from './compile-cache.ts'

useCompileCache()
const { loadLlamaModel } = await import('../runtimes/llama/load-llama-model.ts')
const { serveTextEngine } = await import('../runtimes/process/serve-text-engine.ts')

serveTextEngine(async (descriptor, options) => {
  const model = await loadLlamaModel(descriptor, options)
  keepCompiledCode()
  return model
})
