import type { VNode } from 'preact'
import type { ImageAsset } from '../../../../contract/image-assets.ts'
import { t } from '../../../language/t.ts'
import { SelectField } from '../../../parts/fields/select-field.tsx'

interface AddAssetProps {
  readonly label: string
  /** Assets that are not chosen yet. */
  readonly known: readonly ImageAsset[]
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
