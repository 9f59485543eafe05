// Writes the texts of the store from the built manifest, the reasons beside this file and
// the sentences the options page shows, and checks what the store wants: a reason for every
// permission, no site and no debugger at the install, short texts, a raised version.
//
//   node store/listing.js            writes store/listing.md and store/privacy.md
//   node store/listing.js --check    fails if they are not what it would write, or a rule is broken
//   --manifest FILE                  another manifest than that of dist

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"

const here = import.meta.dirname
const { values: options } = parseArgs({ options: { check: { type: "boolean" }, manifest: { type: "string" } } })
const read = (name) => JSON.parse(readFileSync(name, "utf8"))
const manifest = read(options.manifest ?? join(here, "../dist/manifest.json"))
const texts = read(join(here, "../ui/texts/en.json"))
const reasons = read(join(here, "reasons.json"))

const held = manifest.permissions ?? []
const wanted = manifest.optional_permissions ?? []
const hosts = manifest.optional_host_permissions ?? []

// The rules of the store, and ours.
const DESCRIPTION = 132
const NAME = 75
function faults() {
  const found = []
  for (const name of [...held, ...wanted]) if (!reasons.permissions[name]) found.push(`the permission ${name} has no reason in store/reasons.json`)
  for (const name of hosts) if (!reasons.hosts[name]) found.push(`the sites ${name} have no reason in store/reasons.json`)
  for (const name of manifest.host_permissions ?? []) found.push(`the site ${name} is held at the install`)
  for (const script of manifest.content_scripts ?? []) found.push(`${script.matches} get a script at the install`)
  for (const name of ["debugger", "<all_urls>"]) if (held.includes(name)) found.push(`${name} is held at the install`)
  if (manifest.description.length > DESCRIPTION) found.push(`the description has ${manifest.description.length} characters, more than ${DESCRIPTION}`)
  if (manifest.name.length > NAME) found.push(`the name has ${manifest.name.length} characters, more than ${NAME}`)
  for (const size of ["16", "32", "48", "128"]) if (!manifest.icons?.[size]) found.push(`there is no icon of ${size} pixels`)
  if (!isAfter(manifest.version, reasons.published)) found.push(`the version ${manifest.version} is not after ${reasons.published}, which is published: raise it in package.json`)
  const policy = manifest.content_security_policy?.extension_pages ?? ""
  if (!/(^|; )script-src 'self'(;|$)/.test(policy) || !policy.startsWith("default-src 'none'")) found.push("the policy of the extension's pages allows more than its own scripts")
  return found
}

function isAfter(version, published) {
  const [a, b] = [version, published].map((v) => v.split(".").map(Number))
  for (let i = 0; i < Math.max(a.length, b.length); i++) if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) > (b[i] ?? 0)
  return false
}

const MADE = "<!-- Made by `node store/listing.js` from the manifest. Change store/reasons.json or ui/texts/en.json. -->"
const row = (name, reason) => `| \`${name}\` | ${reason} |`
const privacy = ["privacy.page", "privacy.screenshot", "privacy.query", "privacy.nowhere", "privacy.stored", "privacy.server"].map((key) => texts[key])

const listing = `${MADE}
# ${manifest.name}, for the store

## Summary

${manifest.description}

## Description

${manifest.name} does a task on the page you are on: write what you want in the side panel, and watch it being done.

- Each step is shown with its reason, and afterwards with a verdict: it worked, it did not, or that is not decided yet.
- What it is about to do stands in the panel, and its target is outlined on the page.
- Stop it, take over and hand back at any time; a question is asked where something is not known.
- A site is used only after you have allowed it, and each can be removed in the options.
- It needs a Stepledger server, whose address is in the options.

## Single purpose

${reasons.singlePurpose}

## Permissions held at the install

| permission | why |
|---|---|
${held.map((name) => row(name, reasons.permissions[name])).join("\n")}

## Permissions asked for when they are needed

| permission | why |
|---|---|
${[...wanted.map((name) => row(name, reasons.permissions[name])), ...hosts.map((name) => row(name, reasons.hosts[name]))].join("\n")}

## Remote code

None. All scripts are in the package; its pages have the policy \`${manifest.content_security_policy?.extension_pages}\`.
An answer of the server names an action out of a fixed list and is never run as code.

## Use of data

| the store's category | collected | for what |
|---|---|---|
| website content | yes | the page of a task's tab goes to the server the user has chosen, to decide the next step |
| web history | the address of a task's page | the same |
| authentication information | the login at that server | the password is sent once and not stored; a token is |
| personally identifiable, health, financial information, personal communications | only what such a page shows | the same; passwords, one-time codes and card numbers are left out |
| location, user activity beyond the task | no | |

Certified: the use of data keeps the Limited Use requirements. It is not sold, not given to third parties, not used for
anything but the single purpose, and not for creditworthiness or lending.

Privacy text: ${texts["privacy.address"]}

## Pictures

\`public/icon/128.png\`, \`store/tile-440x280.png\`, \`store/screenshot-working.png\`, \`store/screenshot-question.png\`
`

const privacyText = `${MADE}
# Privacy of the ${manifest.name} extension

${privacy.map((sentence) => `- ${sentence}`).join("\n")}

What the extension receives is used only for its single purpose: ${reasons.singlePurpose} It is not sold, not given to third
parties, not read by people except whoever runs that server, and not used for creditworthiness or lending. This keeps the
Limited Use requirements of the Chrome Web Store.

Remove it all with “${texts["options.clear.button"]}” in the options, or by removing the extension. What the server has of
you is deleted by whoever runs it.
`

const files = { "listing.md": listing, "privacy.md": privacyText }
const wrong = faults()
for (const [name, text] of Object.entries(files)) {
  const file = join(here, name)
  if (!options.check) writeFileSync(file, text)
  else if (readFileSync(file, "utf8") !== text) wrong.push(`store/${name} is not what the manifest gives: run node store/listing.js`)
}
for (const fault of wrong) console.error(fault)
process.exitCode = wrong.length > 0 ? 1 : 0
