import { fileExists, type OpenSession } from '../unet/noise-predictor.ts'
import { OnnxSafetyChecker } from './onnx-safety-checker.ts'
import type { RgbImage } from './rgb-image.ts'

export interface SafetyVerdict {
  readonly unsafe: boolean
  /** How unsafe, 0 to 1; null when nothing was checked. */
  readonly score: number | null
}

/** Judges finished pictures. */
export interface SafetyChecker {
  check(image: RgbImage): Promise<SafetyVerdict>
}

/** Lets every picture pass: the checker of a model that brings none. */
export const safetyOff: SafetyChecker = {
  check: async () => ({ unsafe: false, score: null }),
}

/** The checker that lies in the model's folder (`safety_checker/model.onnx`, in the layout of Stable Diffusion's export), or none. */
export async function loadSafetyChecker(folder: string, open: OpenSession): Promise<SafetyChecker> {
  const file = 'safety_checker/model.onnx'
  return (await fileExists(folder, file)) ? new OnnxSafetyChecker(await open(file)) : safetyOff
}
