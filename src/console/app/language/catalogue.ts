/** A text in the forms that counting needs, by the categories of `Intl.PluralRules`; `#` stands for the number. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/**
 * Texts of another language by their English, as it stands in the pages. What is put into a text stands as `{0}`, `{1}` …
 * in the order of the English; a text that counts is known by its English form `other`.
 *
 * The German in `de.json` addresses nobody where an infinitive or the passive will do; else it says “Sie”. Its words:
 * access token: Zugangstoken · account: Konto · answer: Antwort · assets: Bausteine · conversation: Gespräch ·
 * draw, drawing: zeichnen, Zeichnung · gallery: Galerie · image, picture: Bild · invitation: Einladung · ledger: Verzeichnis ·
 * limit: Limit · lock: sperren · mask: Maske · member: Mitglied · model: Modell · owner: Inhaber · preset: Vorlage ·
 * pull: holen · queue: Warteschlange · request: Anfrage · revoke: widerrufen · service: Dienst · sign in: anmelden ·
 * usage: Nutzung · Prompt, Seed, Sampler, Token, Webhook stay.
 */
export type Catalogue = Readonly<Record<string, string | Forms>>
