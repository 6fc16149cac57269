/** A text in the forms that counting needs, by the categories of `Intl.PluralRules`; `#` stands for the number. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/**
 * Texts of another language by their English, as it stands in the pages. What is put into a text stands as `{0}`, `{1}` …
 * in the order of the English; a text that counts is known by its English form `other`.
 */
export type Catalogue = Readonly<Record<string, string | Forms>>
