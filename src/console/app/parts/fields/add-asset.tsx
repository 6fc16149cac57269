import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { SelectField } from './select-field.tsx'

/** A LoRA, textual inversion or ControlNet. */
export interface NamedAsset {
  /** Its name in requests. */
  readonly name: string
  /** Its display name. */
  readonly label: string
}

interface AddAssetProps {
  readonly label: string
  /** Assets that are not chosen yet. */
  readonly known: readonly NamedAsset[]
  readonly add: (name: string, label: string) => void
}

/** Adds an asset; nothing when all are chosen. */
export function AddAsset({ label, known, add }: AddAssetProps): VNode | null {
  if (known.length === 0) return null
  return (
    <SelectField
      label={label}
      value=""
      options={[{ value: '', label: t`Choose…` }, ...known.map((asset) => ({ value: asset.name, label: asset.label }))]}
      onChange={(name) => {
        const asset = known.find((each) => each.name === name)
        if (asset) add(asset.name, asset.label)
      }}
    />
  )
}
