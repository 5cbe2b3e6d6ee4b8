// What stands around a script says of its release of the dialect: pins of `apache-tvm` in the files that list packages
// (requirements, constraints, pyproject.toml, setup.cfg and setup.py, Pipfile, environments of conda) and those that
// lock them (uv, Poetry, PDM, Pipenv, pylock), and the package that is installed in a Python environment (.venv, venv,
// env, .conda), each in the nearest folder above the script that has one, up to the top of its checkout.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "compiler/script/dialect_choice.h"

namespace tilewright::project {

// Adds to what the settings say. Nothing is looked for where those decide. A shared folder that others may write to
// (/tmp) says nothing about the scripts below it.
script::DialectHints around(const std::filesystem::path& script, script::DialectHints said);

// The releases that a requirement such as "apache-tvm[cuda]~=0.26.0; python_version > '3.9'" allows. None: it is of
// another package, or allows several, or one that is not read.
std::optional<text::Dialect> pinned_by(std::string_view requirement);

}  // namespace tilewright::project
