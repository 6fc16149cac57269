import { loadLlamaModel } from '../runtimes/llama/load-llama-model.ts'
import { serveTextEngine } from '../runtimes/process/serve-text-engine.ts'

serveTextEngine((descriptor, options) =>
  loadLlamaModel(descriptor, {
    ...options,
    // onnxruntime is loaded for models that see, and for no others.
    openTower: async (projector, { threads }) => (await import('../runtimes/vision/open-tower.ts')).openTower(projector, { threads }),
  }),
)
