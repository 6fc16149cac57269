import { isRecord, parseRecord } from '../../../../core/json-value.ts'

/** How much a LoRA without `alpha` tensors counts, by module and rank. */
export type PeftScale = (module: string, rank: number) => number

/** Reads the scale that peft's adapters carry in their metadata (`lora_adapter_metadata`); alpha equals the rank where there is none. */
export function readPeftScale(metadata: ReadonlyMap<string, string>): PeftScale {
  const config = parseRecord(metadata.get('lora_adapter_metadata') ?? '') ?? {}
  return (module, rank) => {
    const component = module.slice(0, module.indexOf('.'))
    const inside = module.slice(component.length + 1)
    const patterns = config[`${component}.alpha_pattern`]
    const own = isRecord(patterns)
      ? Object.entries(patterns).find(([pattern]) => inside === pattern || inside.endsWith(`.${pattern}`))?.[1]
      : undefined
    const alpha = own ?? config[`${component}.lora_alpha`]
    if (typeof alpha !== 'number') return 1
    return config[`${component}.use_rslora`] === true ? alpha / Math.sqrt(rank) : alpha / rank
  }
}
