import { fileExists } from '../onnx/model-file.ts'
import type { OpenSession } from '../unet/noise-predictor.ts'
import { OnnxSafetyChecker } from './onnx-safety-checker.ts'
import { type SafetyChecker, safetyOff } from './safety-checker.ts'

/** The checker that lies in the model's folder (`safety_checker/model.onnx`, in the layout of Stable Diffusion's export), or none. */
export async function loadSafetyChecker(folder: string, open: OpenSession): Promise<SafetyChecker> {
  const file = 'safety_checker/model.onnx'
  return (await fileExists(folder, file)) ? new OnnxSafetyChecker(await open(file)) : safetyOff
}
