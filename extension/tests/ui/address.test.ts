import { describe, expect, it } from "vitest"

import { serverAddress, siteName, sitePattern } from "../../ui/address"

describe("serverAddress", () => {
  it.each([
    ["https://stepledger.example", "https://stepledger.example"],
    [" https://stepledger.example/ ", "https://stepledger.example"],
    ["https://stepledger.example:8443/base/", "https://stepledger.example:8443/base"],
    ["http://127.0.0.1:8484", "http://127.0.0.1:8484"],
    ["http://localhost:8484/", "http://localhost:8484"],
  ])("takes %s", (typed, address) => expect(serverAddress(typed)).toEqual({ address }))

  it.each([
    ["", "address.empty"], ["stepledger", "address.invalid"], ["localhost:8484", "address.scheme"], ["ftp://a.example", "address.scheme"], ["javascript:alert(1)", "address.scheme"],
    ["http://stepledger.example", "address.insecure"], ["http://127.0.0.1.evil.example", "address.insecure"], ["http://localhost.evil.example", "address.insecure"],
    ["https://user:word@a.example", "address.extra"], ["https://a.example/?x=1", "address.extra"], ["https://a.example/#x", "address.extra"], ["https://a.example/?", "address.extra"],
  ])("refuses %s", (typed, refused) => expect(serverAddress(typed)).toEqual({ refused }))
})

it("a site's pattern is asked for without a port, and read without a star", () => {
  expect(sitePattern("http://127.0.0.1:8484/base")).toBe("http://127.0.0.1/*")
  expect(siteName("https://clinic.example/*")).toBe("https://clinic.example")
  expect(siteName("*://clinic.example/*")).toBe("clinic.example")
})
