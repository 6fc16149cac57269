import { loadLlamaModel } from '../runtimes/llama/load-llama-model.ts'
import { serveTextEngine } from '../runtimes/process/serve-text-engine.ts'

serveTextEngine(loadLlamaModel)
