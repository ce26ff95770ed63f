"""Checks that standard input is a SARIF 2.1.0 log, as far as code scanning services ask."""

import json
import sys

log = json.load(sys.stdin)
assert log["version"] == "2.1.0" and "sarif-schema-2.1.0" in log["$schema"], log
(run,) = log["runs"]
driver = run["tool"]["driver"]
assert driver["name"] == "tidegate" and driver["semanticVersion"]
rules = [rule["id"] for rule in driver["rules"]]
assert len(rules) == len(set(rules))
for rule in driver["rules"]:
    assert rule["shortDescription"]["text"] and rule["fullDescription"]["text"], rule
for artifact in run["artifacts"]:
    assert artifact["location"]["uri"], artifact
for result in run["results"]:
    assert result["level"] in ("error", "warning", "note") and result["message"]["text"], result
    assert rules[result["ruleIndex"]] == result["ruleId"], result
    for location in result["locations"] + result.get("relatedLocations", []):
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"], place
        region = place["region"]
        assert region["startLine"] >= 1 and region["startColumn"] >= 1, region
        start = (region["startLine"], region["startColumn"])
        assert start <= (region.get("endLine", start[0]), region["endColumn"]), region
print(len(run["results"]), "results of", sorted(rules))
