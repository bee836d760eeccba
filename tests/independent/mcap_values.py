"""Prints every message of an MCAP file as the libraries of others decode it, one JSON object per line: topic, log time, schema, fields.

Numbers with a fraction are the hexadecimal form of their 64 bits. Before them, a line with the metadata of the file and the units of each topic.
"""

import json
import struct
import sys

from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory


def value(of):
    if isinstance(of, float):
        return struct.pack(">d", of).hex()
    if hasattr(of, "DESCRIPTOR"):
        return fields(of)
    if isinstance(of, (str, bool, int)):
        return of
    return [value(one) for one in of]


def fields(message):
    return {field.name: value(of) for field, of in message.ListFields()}


def main(path):
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        head = {record.name: record.metadata for record in reader.iter_metadata()}
        units = {channel.topic: channel.metadata for channel in summary.channels.values()}
        print(json.dumps({"metadata": head, "units": units, "messages": summary.statistics.message_count}))
        for schema, channel, message in reader.iter_messages(log_time_order=False):
            if channel.message_encoding == "json":
                decoded = json.loads(message.data)
            else:
                decoded = fields(decode(schema, channel, message))
            line = {"topic": channel.topic, "log_time": message.log_time, "schema": schema.name, "fields": decoded}
            print(json.dumps(line))


FACTORY = DecoderFactory()
DECODERS = {}


def decode(schema, channel, message):
    if channel.id not in DECODERS:
        DECODERS[channel.id] = FACTORY.decoder_for(channel.message_encoding, schema)
    return DECODERS[channel.id](message.data)


main(sys.argv[1])
