// Prints values that @racehub-io/f1-telemetry-client reads: see README.md.
'use strict';
const dgram = require('dgram');
const path = require('path');

// The client listens on all addresses.
const bind = dgram.Socket.prototype.bind;
dgram.Socket.prototype.bind = function (options) {
  return bind.call(this, { ...options, address: '127.0.0.1' });
};

const folder = process.env.GAMETAPE_NODE_CLIENTS;
const { F1TelemetryClient } = require(path.join(folder, '@racehub-io', 'f1-telemetry-client'));

const tell = what => process.stdout.write(`${JSON.stringify(what)}\n`);
// The client talks to people on standard output.
console.log = text => process.stderr.write(`${text}\n`);

const wanted = new Map();
for (const argument of process.argv.slice(2)) {
  const at = argument.indexOf(':');
  const packet = argument.slice(0, at);
  wanted.set(packet, [...(wanted.get(packet) ?? []), argument.slice(at + 1)]);
}

const valueAt = (packet, place) =>
  [...place.matchAll(/(\w+)(?:\[(\d+)\])?/g)].reduce(
    (part, [, name, index]) => (index === undefined ? part[name] : part[name][Number(index)]),
    packet,
  );

const client = new F1TelemetryClient({ port: 0, bigintEnabled: false });
for (const [packet, places] of wanted) {
  client.on(packet, data => {
    const values = places.map(place => valueAt(data, place));
    tell({ packet, frame: data.m_header.m_frameIdentifier, values });
  });
}
client.socket.on('listening', () => tell({ port: client.socket.address().port }));
client.start();
process.stdin.on('end', () => process.exit(0)).resume();
