// SPDX-License-Identifier: Apache-2.0
// A clang-tidy check that finds nothing and makes the others five times as quick, because it limits
// them to our own code. Without it every check walks through all of the standard library and
// Boost in every unit, and its findings there are thrown away.
#include <vector>

#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"

namespace {

using clang::ast_matchers::MatchFinder;

class OwnDeclarations : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  // The unit is matched before its contents, so the scope is set before the walk begins.
  void registerMatchers(MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);
  }

  void check(const MatchFinder::MatchResult& result) override {
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : result.Context->getTranslationUnitDecl()->decls()) {
      const clang::SourceLocation place =
          result.SourceManager->getExpansionLoc(declaration->getLocation());
      if (place.isValid() && !result.SourceManager->isInSystemHeader(place)) {
        own.push_back(declaration);
      }
    }
    result.Context->setTraversalScope(own);
  }
};

class Module : public clang::tidy::ClangTidyModule {
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& checks) override {
    checks.registerCheck<OwnDeclarations>("dray-own-declarations");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> kModule("dray", "quicker checks");

}  // namespace
