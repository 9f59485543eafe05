// The official client's own round trip against the server whose connection
// string is the first argument. It prints a line of JSON for each check.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import esdb from "@eventstore/db-client";

const {
  EventStoreDBClient, jsonEvent, binaryEvent, eventTypeFilter, streamNameFilter,
  ANY, NO_STREAM, STREAM_EXISTS, START, END, FORWARDS, BACKWARDS,
  WrongExpectedVersionError, StreamNotFoundError, StreamDeletedError, MaxAppendSizeExceededError,
} = esdb;

const client = EventStoreDBClient.connectionString(process.argv[2]);

const event = (type, data = { is: type }) => jsonEvent({ id: randomUUID(), type, data, metadata: { by: "node" } });

async function collect(read) {
  const list = [];
  for await (const { event } of read) list.push(event);
  return list;
}

const types = (events) => events.map((e) => e.type);

// next gives a subscription's next events, within the time of patience.
function next(subscription, count) {
  return new Promise((resolve, reject) => {
    const list = [];
    const timer = setTimeout(() => reject(new Error(`the subscription brings ${list.length} of ${count}`)), 20_000);
    const done = (settle, value) => {
      clearTimeout(timer);
      subscription.off("data", take);
      subscription.off("error", fail);
      settle(value);
    };
    const take = ({ event }) => {
      list.push(event);
      if (list.length === count) done(resolve, list);
    };
    const fail = (error) => done(reject, error);
    subscription.on("data", take);
    subscription.on("error", fail);
  });
}

const checks = {
  async "appends come back as they were"() {
    const sent = [event("a"), event("b")];
    const result = await client.appendToStream("node-append", sent, { expectedRevision: NO_STREAM });
    assert.equal(result.success, true);
    assert.equal(result.nextExpectedRevision, 1n);
    const got = await collect(client.readStream("node-append"));
    assert.deepEqual(got.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })),
      sent.map(({ id, type, data, metadata }) => ({ id, type, data, metadata })));
    assert.deepEqual(got.map((e) => e.revision), [0n, 1n]);
    assert.equal(got[1].position.commit, result.position.commit);
    assert.ok(Math.abs(Date.now() - got[0].created.getTime()) < 3_600_000, `created ${got[0].created}`);
  },
  async "bytes come back as they were"() {
    const data = Uint8Array.from([0, 1, 254, 255]);
    await client.appendToStream("node-bytes", binaryEvent({ type: "bytes", data }));
    const [got] = await collect(client.readStream("node-bytes"));
    assert.equal(got.isJson, false);
    assert.deepEqual(Uint8Array.from(got.data), data);
  },
  async "expectations are checked"() {
    const refused = { name: "WrongExpectedVersionError", type: "wrong-expected-version" };
    for (const expectedRevision of [5n, STREAM_EXISTS]) {
      await assert.rejects(client.appendToStream("node-expect", event("a"), { expectedRevision }), WrongExpectedVersionError);
    }
    await client.appendToStream("node-expect", event("a"), { expectedRevision: NO_STREAM });
    await client.appendToStream("node-expect", event("b"), { expectedRevision: 0n });
    await client.appendToStream("node-expect", event("c"), { expectedRevision: STREAM_EXISTS });
    await client.appendToStream("node-expect", event("d"), { expectedRevision: ANY });
    const error = await client.appendToStream("node-expect", event("e"), { expectedRevision: 1n }).catch((e) => e);
    assert.ok(error instanceof WrongExpectedVersionError, String(error));
    assert.equal(error.type, refused.type);
    assert.equal(error.expectedVersion, 1n);
    assert.equal(error.actualVersion, 3n);
  },
  async "a repeat has the first answer"() {
    const sent = [event("a"), event("b")];
    const first = await client.appendToStream("node-repeat", sent, { expectedRevision: NO_STREAM });
    await client.appendToStream("node-repeat", event("c"), { expectedRevision: 1n });
    assert.deepEqual(await client.appendToStream("node-repeat", sent, { expectedRevision: NO_STREAM }), first);
    assert.equal((await collect(client.readStream("node-repeat"))).length, 3);
  },
  async "what is too large is refused by name"() {
    const large = event("large", { text: "x".repeat(1 << 20) });
    await assert.rejects(client.appendToStream("node-large", large), MaxAppendSizeExceededError);
  },
  async "many events in one append"() {
    const sent = Array.from({ length: 500 }, (_, i) => event(`t${i}`));
    const result = await client.appendToStream("node-many", sent, { expectedRevision: NO_STREAM, batchAppendSize: 10_000 });
    assert.equal(result.nextExpectedRevision, 499n);
    assert.deepEqual(types(await collect(client.readStream("node-many"))), types(sent));
  },
  async "streams are read both ways, from anywhere"() {
    await client.appendToStream("node-read", ["0", "1", "2", "3", "4"].map((t) => event(t)));
    const read = async (options) => types(await collect(client.readStream("node-read", options)));
    assert.deepEqual(await read({ direction: FORWARDS, fromRevision: START }), ["0", "1", "2", "3", "4"]);
    assert.deepEqual(await read({ direction: FORWARDS, fromRevision: 3n }), ["3", "4"]);
    assert.deepEqual(await read({ direction: FORWARDS, fromRevision: 9n }), []);
    assert.deepEqual(await read({ direction: BACKWARDS, fromRevision: END, maxCount: 2 }), ["4", "3"]);
    assert.deepEqual(await read({ direction: BACKWARDS, fromRevision: 1n }), ["1", "0"]);
    await assert.rejects(collect(client.readStream("node-never")), StreamNotFoundError);
  },
  async "$all is read both ways"() {
    const sent = [event("all-a"), event("all-b"), event("all-c")];
    const { position } = await client.appendToStream("node-all", sent);
    const back = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 3 }));
    assert.deepEqual(types(back), ["all-c", "all-b", "all-a"]);
    const forwards = await collect(client.readAll({ direction: FORWARDS, fromPosition: position }));
    assert.deepEqual(types(forwards), ["all-c"]);
    const before = await collect(client.readAll({ direction: BACKWARDS, fromPosition: position, maxCount: 1 }));
    assert.deepEqual(types(before), ["all-b"]);
  },
  async "a stream is followed"() {
    await client.appendToStream("node-follow", [event("0"), event("1")]);
    const subscription = client.subscribeToStream("node-follow", { fromRevision: 0n });
    assert.deepEqual(types(await next(subscription, 1)), ["1"]);
    const live = next(subscription, 2);
    await client.appendToStream("node-follow", [event("2"), event("3")]);
    assert.deepEqual(types(await live), ["2", "3"]);
    await subscription.unsubscribe();
  },
  async "$all is followed through a filter, with checkpoints"() {
    await client.appendToStream("node-other", event("x"));
    await client.appendToStream("node-seen", event("seen-0"));
    const checkpoints = [];
    const filter = streamNameFilter({
      prefixes: ["node-seen"], checkpointInterval: 1, maxSearchWindow: 1,
      checkpointReached: (_, position) => checkpoints.push(position),
    });
    const subscription = client.subscribeToAll({ fromPosition: START, filter });
    assert.deepEqual(types(await next(subscription, 1)), ["seen-0"]);
    const live = next(subscription, 1);
    await client.appendToStream("node-other", event("x"));
    await client.appendToStream("node-seen", event("seen-1"));
    assert.deepEqual(types(await live), ["seen-1"]);
    assert.ok(checkpoints.length > 0, "no checkpoint came");
    await subscription.unsubscribe();
  },
  async "$all is followed by type"() {
    const subscription = client.subscribeToAll({ fromPosition: END, filter: eventTypeFilter({ regex: "^wanted" }) });
    await new Promise((resolve) => subscription.once("confirmation", resolve));
    const live = next(subscription, 1);
    await client.appendToStream("node-types", [event("unwanted"), event("wanted")]);
    assert.deepEqual(types(await live), ["wanted"]);
    await subscription.unsubscribe();
  },
  async "metadata hide events"() {
    await client.appendToStream("node-meta", [event("0"), event("1"), event("2")]);
    await client.setStreamMetadata("node-meta", { truncateBefore: 2, note: "kept" });
    assert.deepEqual(types(await collect(client.readStream("node-meta"))), ["2"]);
    const { metadata } = await client.getStreamMetadata("node-meta");
    assert.equal(metadata.truncateBefore, 2);
    assert.equal(metadata.note, "kept");
  },
  async "a deleted stream goes on where it was"() {
    await client.appendToStream("node-delete", [event("0"), event("1")]);
    await assert.rejects(client.deleteStream("node-delete", { expectedRevision: 7n }), WrongExpectedVersionError);
    await client.deleteStream("node-delete", { expectedRevision: 1n });
    await assert.rejects(collect(client.readStream("node-delete")), StreamNotFoundError);
    const result = await client.appendToStream("node-delete", event("2"), { expectedRevision: NO_STREAM });
    assert.equal(result.nextExpectedRevision, 2n);
    assert.deepEqual(types(await collect(client.readStream("node-delete"))), ["2"]);
  },
  async "a tombstone ends a stream"() {
    await client.appendToStream("node-end", event("0"));
    await client.tombstoneStream("node-end", { expectedRevision: 0n });
    await assert.rejects(client.appendToStream("node-end", event("1")), StreamDeletedError);
    await assert.rejects(collect(client.readStream("node-end")), StreamDeletedError);
  },
};

for (const [name, check] of Object.entries(checks)) {
  const error = await check().then(() => "", (e) => e.stack ?? String(e));
  console.log(JSON.stringify({ name, error }));
}
await client.dispose();
