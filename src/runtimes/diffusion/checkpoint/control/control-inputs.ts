import { Tensor } from 'onnxruntime-node'

/** Names of the inputs by which ControlNets speak to a UNet. */
export function controlInputs(skips: number): readonly string[] {
  return [...Array.from({ length: skips }, (_, i) => `control_${i}`), 'control_mid']
}

/** What a UNet is given where no ControlNet speaks: one zero for all pixels. */
export function silence(skips: number): Readonly<Record<string, Tensor>> {
  return Object.fromEntries(controlInputs(skips).map((name) => [name, new Tensor('float32', new Float32Array(1), [1, 1, 1, 1])]))
}
